/**
 * The two pages for people: the reference of the API, and the playground of GraphQL. Pure.
 *
 * Nothing is loaded from other hosts, which the Content-Security-Policy of the pages enforces: scripts are those of
 * this server's own paths and the inline one, allowed by its hash.
 */
import { hash } from 'node:crypto'
import { linksOf, PAGE_ASSETS, PAGE_LINKS } from '../http/page-links.ts'

export type Page = { html: string; policy: string }

/** Where the files of packages are served. */
export const ASSETS_PATH = '/docs/assets'

/**
 * Integers that no double holds stay as they were written, where the browser can (JSON.rawJSON): else an
 * answer would be shown with other digits than it has.
 */
const EXACT_JSON = `
  const parseJson = JSON.parse
  const exactNumber = (name, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && JSON.rawJSON !== undefined &&
    /^-?\\d+$/.test(context?.source ?? '') ? JSON.rawJSON(context.source) : value
`

const REFERENCE_SCRIPT = `${EXACT_JSON}
  // The class that the styles of the package know; without it text is dark on the browser's dark background.
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', follow)
  follow()
  // The page shows answers by reading and writing them: so it must read them exactly.
  JSON.parse = (text, reviver) => parseJson(text, reviver ?? exactNumber)
  // A form begins with the values of the route's example: with an example of every parameter that there is, most
  // lists would be empty. Those of one parameter by itself appear where a form does not begin with them.
  const withoutForms = (document) => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
      const { examples } = parameter
      if (examples === undefined) continue
      parameter.schema.examples = Object.values(examples).map(({ value }) => value)
      delete parameter.examples
    }
    return document
  }
  const wrapActions = { updateJsonSpec: (update) => (document) => update(withoutForms(document)) }
  SwaggerUIBundle({
    url: '/openapi.json',
    plugins: [{ statePlugins: { spec: { wrapActions } } }],
    dom_id: '#page',
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    tryItOutEnabled: true,
  })
`

const PLAYGROUND_SCRIPT = `${EXACT_JSON}
  const fetcher = async (body, { headers = {} } = {}) => {
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return parseJson(await answer.text(), exactNumber)
  }
  ReactDOM.createRoot(document.getElementById('page')).render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultEditorToolsVisibility: 'headers',
      defaultHeaders: '{\\n  "X-API-Key": ""\\n}',
      defaultQuery:
        '# Put your key into the headers below, fetch the schema again (the circle at the left), then run.\\n' +
        '{\\n  swaps(limit: 5) {\\n    signature\\n    swap_type\\n    sol_amount\\n    token {\\n' +
        '      symbol\\n      price_usd\\n    }\\n  }\\n}\\n',
    }),
  )
`

export const reference = pageOf({
  path: '/docs',
  title: 'Swaptide API',
  styles: ['swagger-ui.css'],
  scripts: ['swagger-ui-bundle.js'],
  own: REFERENCE_SCRIPT,
})

export const playground = pageOf({
  path: '/graphql',
  title: 'Swaptide GraphQL',
  styles: ['graphiql.min.css'],
  scripts: ['react.production.min.js', 'react-dom.production.min.js', 'graphiql.min.js'],
  own: PLAYGROUND_SCRIPT,
})

type Parts = {
  path: string
  title: string
  styles: readonly string[]
  scripts: readonly string[]
  /** Runs after the scripts. */
  own: string
}

function pageOf({ path, title, styles, scripts, own }: Parts): Page {
  const links = styles.map((name) => `<link rel="stylesheet" href="${ASSETS_PATH}/${name}">`)
  const loads = scripts.map((name) => `<script src="${ASSETS_PATH}/${name}"></script>`)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${PAGE_ASSETS}/icon.svg" type="image/svg+xml">
${links.join('\n')}
<link rel="stylesheet" href="${PAGE_ASSETS}/bar.css">
</head>
<body>
<header class="bar">
<a class="brand" href="/"><img src="${PAGE_ASSETS}/icon.svg" alt="" width="22" height="22">Swaptide</a>
<nav aria-label="Pages">
${linksOf(PAGE_LINKS, path)}
</nav>
</header>
<div id="page"></div>
${loads.join('\n')}
<script>${own}</script>
</body>
</html>
`
  return { html, policy: policyFor(own) }
}

function policyFor(own: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', own, 'base64')}'`,
    // Both packages set styles on what they draw.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
