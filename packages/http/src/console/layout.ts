import { pageAssets as assets } from './assets.ts'
import { type Html, html } from './html.ts'
import type { Links } from './links.ts'
import { NAVIGATION } from './navigation.ts'
import { streamOf } from './shown.ts'
import type { View, Visit } from './visit.ts'

/** The frame that every page stands in. */
export interface Frame {
  readonly links: Links
  /** Absent on pages for those who are not signed in. */
  readonly visit?: Visit
}

/** Returns a whole page. */
export const pageOf = ({ title, body, command, shows, further }: View, { links, visit }: Frame): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · svc</title>
<link rel="stylesheet" href="${links.to(`assets/${assets.named('console.css')}`)}">
<script src="${links.to(`assets/${assets.named('idiomorph.js')}`)}" defer></script>
<script src="${links.to(`assets/${assets.named('console.js')}`)}" type="module"></script>
${further?.assets.map((name) => fileOf(name, links.to(`assets/${name}`)))}
<link rel="icon" href="${links.to(`assets/${assets.named('icon.svg')}`)}">
</head>
<body${visit === undefined && html` class="bare"`}>
<a class="skip" href="#main">Skip to content</a>
${visit !== undefined && navigation(visit)}
<main id="main" tabindex="-1"${visit !== undefined && html` data-now="${visit.now}"`}${shows !== undefined && html` data-live="${streamOf(shows, links)}"`}>
${body}
${command !== undefined && html`<footer><code class="command">${command}</code></footer>`}
</main>
</body>
</html>
`

/** Modules are loaded by the page's script, which finds them here. */
function fileOf(name: string, address: string): Html {
  if (name.endsWith('.css')) return html`<link rel="stylesheet" href="${address}">`
  if (name.endsWith('.mjs')) return html`<link rel="modulepreload" href="${address}">`
  return html`<script src="${address}" type="module"></script>`
}

function navigation(visit: Visit): Html {
  const { links, path, caller } = visit
  const [current] = path.split('/')
  const entry = ({ page, title }: { readonly page: string; readonly title: string }) =>
    html`<li><a href="${links.to(page)}"${page === current && html` aria-current="page"`}>${title}</a></li>`
  const groups = NAVIGATION.map(({ title, entries }) => ({
    title,
    entries: entries.filter(({ needs }) => !caller.mustSetUp && (needs === undefined || visit.may(needs))),
  })).filter(({ entries }) => entries.length > 0)
  return html`<header>
<a class="brand" href="${links.to('')}">svc</a>
<form class="search" role="search" action="${links.to('search')}"><input type="search" name="q" aria-label="Search" placeholder="Search  /" accesskey="/"></form>
<nav aria-label="Pages">${groups.map(
    ({ title, entries }) => html`${title !== '' && html`<h2>${title}</h2>`}<ul>${entries.map(entry)}</ul>`,
  )}</nav>
<form class="person" method="post" action="${links.to('sign-out')}"><span title="${caller.user.role}">${caller.user.email}</span><input type="hidden" name="form" value="${visit.token()}"><button class="plain">Sign out</button></form>
</header>`
}
