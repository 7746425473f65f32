/** First requests of a program. No script of a page ever has the key, so a placeholder is in its place. */
import { choiceOf } from '../client/location.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel } from '../layout/panel.tsx'
import { Copy } from '../layout/values.tsx'

const KEY = 'YOUR_API_KEY'
const PATH = '/trending?window=1h&limit=5'
const LANGUAGES = ['curl', 'TypeScript', 'WebSocket'] as const
const USUAL = 'curl'

type Language = (typeof LANGUAGES)[number]

const SNIPPETS: Readonly<Record<Language, (origin: string) => string>> = {
  curl: (origin) => `curl -H 'X-API-Key: ${KEY}' '${origin}${PATH}'`,
  TypeScript: (origin) => `const response = await fetch('${origin}${PATH}', {
  headers: { 'X-API-Key': '${KEY}' },
})
if (!response.ok) throw new Error(await response.text())
const { results } = await response.json()
for (const { mint, price_usd, change_pct } of results) console.log(mint, price_usd, change_pct)`,
  WebSocket: (origin) => `import { WebSocket } from 'ws'

const socket = new WebSocket('${origin.replace(/^http/, 'ws')}/ws/v1', {
  headers: { 'X-API-Key': '${KEY}' },
})
socket.on('open', () => {
  socket.send('{"op":"subscribe","sub":"mine","channel":"swaps","filter":{"min_sol":1}}')
})
socket.on('message', (frame) => console.log(String(frame)))`,
}

export function Snippets() {
  const language = choiceOf('snippet', LANGUAGES, USUAL)
  const text = SNIPPETS[language](window.location.origin)
  return (
    <Panel
      title="First requests"
      note={`replace ${KEY} by your key: these pages do not have it after the sign-in`}
      aside={
        <Choice
          name="snippet"
          label="Language"
          values={LANGUAGES}
          chosen={language}
          usual={USUAL}
        />
      }
    >
      <div class="snippet">
        <pre>
          <code>{text}</code>
        </pre>
        <Copy text={text} kind="snippet" />
      </div>
    </Panel>
  )
}
