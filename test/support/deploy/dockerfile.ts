/** The instructions of deploy/Dockerfile, the one source of what an image is. */
import { readText } from '../sources.ts'

type Instruction = { word: string; text: string }

/** In their order, without comments and empty lines. Throws where a line continues another. */
export function instructionsOf(): Instruction[] {
  const lines = readText('deploy/Dockerfile').split('\n')
  return lines
    .filter((line) => !line.startsWith('#') && line.trim() !== '')
    .map((line) => {
      const [, word, text] = /^([A-Z]+) (.*[^\\])$/.exec(line) ?? []
      if (word === undefined || text === undefined)
        throw new Error(`an instruction in one line was expected: "${line}"`)
      return { word, text }
    })
}

/** Settings of our image where a manifest is silent. */
export function dockerfile() {
  const after = (word: string): string =>
    instructionsOf().findLast((each) => each.word === word)?.text ?? ''
  return {
    folder: after('WORKDIR'),
    user: after('USER'),
    ports: after('EXPOSE').split(' ').map(Number),
    entryPoint: JSON.parse(after('ENTRYPOINT')) as string[],
    arguments: JSON.parse(after('CMD')) as string[],
  }
}
