/**
 * Which of the routes a URL is, without trying them all: pure.
 *
 * Law: what it finds is what the router finds, of several the one declared first. What it leaves to the router: paths
 * with another character than addresses, numbers and names of routes have (escapes, for one), in another case, or with
 * a slash too many.
 */
type Declared = { path: string }
type Found<Each> = { route: Each; params: Record<string, string> }
type Segment = { name: string; isParameter: boolean }

const PLAIN_PATH = /^(?:\/[\w.-]+)+$/
const PARAMETER = /^\{(\w+)\}$/

export function routeTable<Each extends Declared>(
  routes: readonly Each[],
): (url: string) => Found<Each> | undefined {
  const byShape = Map.groupBy(
    routes.map((route) => ({ route, segments: segmentsOf(route.path) })),
    ({ segments }) => shapeOf(segments.map(({ name }) => name)),
  )
  return (url) => {
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    if (!PLAIN_PATH.test(path)) return undefined
    const texts = path.slice(1).split('/')
    for (const { route, segments } of byShape.get(shapeOf(texts)) ?? []) {
      const params = paramsOf(segments, texts)
      if (params !== undefined) return { route, params }
    }
    return undefined
  }
}

function segmentsOf(path: string): Segment[] {
  return path
    .slice(1)
    .split('/')
    .map((text) => {
      const name = PARAMETER.exec(text)?.[1]
      return { name: name ?? text, isParameter: name !== undefined }
    })
}

/** No path of ours begins with a parameter. */
function shapeOf(texts: readonly string[]): string {
  return `${texts[0]} ${texts.length}`
}

/** Undefined: it is another path. */
function paramsOf(
  segments: readonly Segment[],
  texts: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  for (const [index, { name, isParameter }] of segments.entries()) {
    const text = texts[index] as string
    if (isParameter) params[name] = text
    else if (text !== name) return undefined
  }
  return params
}
