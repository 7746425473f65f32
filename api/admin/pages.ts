/**
 * HTML frames of the console pages; a script fills them with data from /admin/v1.
 *
 * Pages have no inline script or style and load nothing from other hosts; their Content-Security-Policy enforces it.
 */

import { linksOf, PAGE_ASSETS, PAGE_LINKS } from '../http/page-links.ts'
import { TIERS } from '../routing/caller.ts'
import { ENVIRONMENTS } from '../routing/key-format.ts'

/** Where the scripts of the pages are served. */
export const CONSOLE_ASSETS = '/admin/assets'

const BANNER = '<div id="banner" role="status" hidden></div>'

type Section = {
  path: string
  page: string
  title: string
  body: string
  /** A further script of the page, bundled from web/. */
  script?: string
}

const options = (names: readonly string[]): string =>
  names.map((name) => `<option>${name}</option>`).join('')

/** Lines to paste, or a file. `kind`: as the command line names it. */
const importOf = (kind: string, columns: string): string => `<section class="panel">
<h2>Import</h2>
<p class="quiet">NDJSON, or CSV under a header: ${columns}. At most 64 KiB;
larger files by <code>swaptide import ${kind} FILE</code>.</p>
<textarea id="lines" aria-label="Lines to import" spellcheck="false"></textarea>
<div class="row">
<label>File <input type="file" id="file" accept=".csv,.ndjson,.json,.txt"></label>
<button type="button" class="button" id="import">Import</button>
</div>
</section>`

/** A table, and what looks for rows in it. */
const foundIn = (id: string): string => `<section class="panel">
<div class="row">
<label class="wide">Search <input id="search" type="search"></label>
<span class="quiet" id="count"></span>
</div>
<div id="${id}"></div>
</section>`

const LANES = `
<dl id="tiles" class="tiles"></dl>
<section class="panel"><h2>Lanes</h2><div id="lanes"></div></section>
<section class="panel"><h2>Jobs</h2><div id="queues"></div></section>`

const DEAD_LETTERS = `
<section class="panel">
<div class="row">
<label>Show <select id="state"><option value="all">all</option>
<option value="waiting">those that wait</option></select></label>
<button type="button" class="button" id="retry-all" disabled>Retry all that wait</button>
<span class="quiet" id="waiting"></span>
</div>
<div id="letters"></div>
<button type="button" class="button" id="more" hidden>Load more</button>
</section>`

const KEYS = `
<section class="panel">
<h2>New key</h2>
<form class="row" id="new-key">
<label>Tier <select name="tier">${options(TIERS)}</select></label>
<label>Environment <select name="env">${options(ENVIRONMENTS)}</select></label>
<label class="wide">Account <input name="account" required maxlength="200"></label>
<button class="button main">Create</button>
</form>
<div id="made" aria-live="polite"></div>
</section>
<section class="panel"><h2>Keys</h2><div id="keys"></div></section>`

const KOLS = `
<section class="panel">
<h2>Add or change</h2>
<form class="row" id="new-kol">
<label class="wide">Wallet <input name="wallet" required maxlength="44" spellcheck="false"></label>
<label>Name <input name="display_name" required maxlength="200"></label>
<label>Handle <input name="twitter_handle" maxlength="16" placeholder="@handle"></label>
<button class="button main">Store</button>
</form>
</section>
${importOf(
  'kols',
  `wallet, display_name, twitter_handle
(left out: a known one stays)`,
)}
${foundIn('kols')}`

const SECTORS = `
<section class="panel">
<h2>Add or change</h2>
<form class="row" id="new-sector">
<label class="wide">Mint <input name="mint" required maxlength="44" spellcheck="false"></label>
<label>Sector <input name="sector" required maxlength="200"></label>
<button class="button main">Store</button>
</form>
</section>
${importOf('sectors', 'mint, sector')}
${foundIn('sectors')}`

const REPLAYS = `
<section class="panel">
<h2>New replay</h2>
<form class="row" id="new-replay">
<label class="wide">Subject <input name="subject" required maxlength="200" value="feed.>" spellcheck="false"></label>
<label>From <input name="from" maxlength="40" placeholder="the beginning" spellcheck="false"></label>
<label>To <input name="to" maxlength="40" placeholder="now" spellcheck="false"></label>
<label>Speed <input name="speed" required maxlength="20" value="max"></label>
<label class="wide">To subject <input name="to_subject" required maxlength="200" spellcheck="false"></label>
<button class="button main">Start</button>
</form>
<p class="quiet">Subjects: feed.&lt;venue&gt;.&lt;lane of the wallet&gt;.&lt;lane of the pool&gt;, committed events, and
swap.&lt;venue&gt;.&lt;lane of the pool&gt;, ingested ones; * is any part, &gt; the rest. From and to: ISO 8601,
Unix ms, or a sequence of the stream. Speed: times the pace of the events, or max.</p>
</section>
<section class="panel"><h2>Replays</h2><div id="replays"></div></section>`

const SOURCES = `
<section class="panel"><h2>Sources</h2><div id="sources"></div></section>
<section class="panel"><h2>Warnings of the decoder</h2><div id="warnings"></div></section>
<section class="panel"><h2>Coverage</h2><p class="quiet" id="history"></p><div id="coverage"></div></section>
<section class="panel"><h2>Gaps</h2><div id="gaps"></div></section>`

const WEBHOOKS = `
<section class="panel">
<h2>New webhook</h2>
<form class="row" id="new-webhook">
<label class="wide">URL <input name="url" type="url" required maxlength="2000" spellcheck="false"></label>
<label>Channel <select name="channel">${options(['swaps', 'pool_events'])}</select></label>
<label class="wide">Filter <input name="filter" placeholder="{}" spellcheck="false"></label>
<button class="button main">Create</button>
</form>
<p class="quiet">The filter is that of the feeds, as JSON; empty: every event.</p>
<div id="made" aria-live="polite"></div>
</section>
<section class="panel"><h2>Webhooks</h2><div id="webhooks"></div></section>`

const CHARTS = `
<div id="charts"></div>`

const AUDIT = `
<section class="panel"><div id="audit"></div></section>`

const SECTIONS: readonly Section[] = [
  { path: '/admin', page: 'lanes', title: 'Lanes and jobs', body: LANES },
  { path: '/admin/charts', page: 'charts', title: 'Charts', body: CHARTS, script: 'charts.js' },
  { path: '/admin/dead-letters', page: 'dead-letters', title: 'Dead letters', body: DEAD_LETTERS },
  { path: '/admin/keys', page: 'keys', title: 'Keys', body: KEYS },
  { path: '/admin/kols', page: 'kols', title: 'KOLs', body: KOLS },
  { path: '/admin/sectors', page: 'sectors', title: 'Sectors', body: SECTORS },
  { path: '/admin/replays', page: 'replays', title: 'Replays', body: REPLAYS },
  { path: '/admin/sources', page: 'sources', title: 'Sources', body: SOURCES },
  { path: '/admin/webhooks', page: 'webhooks', title: 'Webhooks', body: WEBHOOKS },
  { path: '/admin/audit', page: 'audit', title: 'Audit', body: AUDIT },
]

const SECTION_LINKS = [
  ...SECTIONS.map(({ path, title }) => [path, title] as const),
  ['/admin/queues', 'Queues'] as const,
]

/** HTML by path, for signed-in operators. */
export const CONSOLE_PAGES: ReadonlyMap<string, string> = new Map(
  SECTIONS.map((section) => [
    section.path,
    frame({ ...section, body: bodyOf(section), sections: sectionsOf(section) }),
  ]),
)

export const SIGN_IN_PAGE = frame({
  page: 'sign-in',
  title: 'Sign in',
  sections: '',
  body: `<section class="panel sign-in">
<h1>Sign in with the operator token</h1>
${BANNER}
<p class="quiet">The console is for operators of this installation.</p>
<form id="sign-in">
<label>Operator token (ADMIN_TOKEN)
<input name="token" type="password" autocomplete="current-password" required autofocus></label>
<button class="button main">Sign in</button>
</form>
</section>`,
})

function bodyOf({ title, body }: Section): string {
  return `<h1>${title}</h1>
${BANNER}
${body}`
}

function sectionsOf({ path }: Section): string {
  return `<nav class="sections" aria-label="Console">
${linksOf(SECTION_LINKS, path)}
</nav>
<button type="button" class="button" id="sign-out">Sign out</button>`
}

type Frame = Omit<Section, 'path'> & {
  /** The part of the menu that only operators have. */
  sections: string
}

function frame({ page, title, sections, body, script }: Frame): string {
  const further =
    script === undefined ? '' : `<script type="module" src="${PAGE_ASSETS}/${script}"></script>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Swaptide console</title>
<link rel="icon" href="${PAGE_ASSETS}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${PAGE_ASSETS}/console.css">
<script type="module" src="${CONSOLE_ASSETS}/console.js"></script>
${further}
</head>
<body data-page="${page}">
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/"><img src="${PAGE_ASSETS}/icon.svg" alt="" width="22" height="22">Swaptide</a>
<button type="button" class="button" id="menu-button" aria-expanded="false" aria-controls="menu">Menu</button>
<div class="menu" id="menu">
<nav class="pages-nav" aria-label="Pages">
${linksOf(PAGE_LINKS, '/admin', 'true')}
</nav>
${sections}
</div>
</header>
<main id="content" tabindex="-1">
${body}
</main>
<footer><span>Console of operators. Times in UTC.</span></footer>
</body>
</html>
`
}
