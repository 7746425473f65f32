/** The instructions of deploy/Dockerfile, the one source of what an image is. */
import { readText } from '../sources.ts'

type Instruction = { word: string; text: string }

/** In their order, with continued lines joined and comments left out. */
function instructionsOf(text = readText('deploy/Dockerfile')): Instruction[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#') && line.trim() !== '')
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [word = '', ...rest] = line.split(' ')
      return { word, text: rest.join(' ') }
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
