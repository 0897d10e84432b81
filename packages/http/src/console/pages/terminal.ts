import { Problem } from '@svc/core'
import { terminalAssets } from '../assets.ts'
import { commandOf } from '../commands.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Page, Params } from '../pages.ts'
import { type SentForm, takeForm } from '../sent-form.ts'
import { type Tab, tabsView } from '../tabs.ts'
import { newNonce, type View, type Visit } from '../visit.ts'

const FIELDS = ['user', 'reason'] as const

/** The answer of `ssh.open`, as far as a browser needs it. */
interface Opened {
  readonly token: string
  readonly relay_url: string
  readonly max_session_s: number
  readonly host: { readonly hostname: string }
}

/**
 * A terminal on a host, over the relay that `svc ssh` uses. A form opens the session: an address alone
 * opens none. The answer holds the ticket, which works once and for a minute.
 */
export const terminalPage = (tabs: readonly Tab[]): Page => ({
  path: 'hosts/{host}/terminal',
  show: async (visit, params) => {
    if (!visit.may('ssh.open')) throw new Problem('forbidden')
    // A host that is not there is no page, before anybody fills in a form.
    await visit.run('fleet.show', params)
    return viewOf(visit, params, tabs, formView(visit, new Map(), 'Open a terminal'))
  },
  send: async (visit, params, form) => {
    await takeForm(visit, form)
    requireOrigin(visit)
    const given = Object.fromEntries(
      FIELDS.flatMap((name) => (form.get(name) ? [[name, form.get(name)]] : [])),
    )
    const opened = (await visit.run('ssh.open', { ...params, ...given, mode: 'shell' })) as unknown as Opened
    const nonce = newNonce()
    const body = html`<p id="terminal-state" role="status">Waiting for ${opened.host.hostname} …</p>
<div id="terminal" data-relay="${opened.relay_url}" data-ticket="${opened.token}" data-nonce="${nonce}" data-seconds="${opened.max_session_s}"></div>
<noscript><p class="empty">A terminal needs script.</p></noscript>
<div class="actions"><button type="button" class="plain" id="terminal-copy" hidden>Copy</button><button type="button" class="plain" id="terminal-end" hidden>End the session</button></div>
<p class="note">Ctrl+Shift+C copies what is marked, Ctrl+Shift+V pastes, Ctrl+F6 leaves the terminal for the buttons.</p>
<div id="terminal-again" hidden>${formView(visit, form, 'Open another')}</div>`
    return {
      ...viewOf(visit, params, tabs, body),
      hasSecret: true,
      further: {
        assets: terminalAssets().all,
        nonce,
        connects: new URL(opened.relay_url).origin,
      },
    }
  },
})

function viewOf(visit: Visit, params: Params, tabs: readonly Tab[], content: Part): View {
  const { host = '' } = params
  return {
    title: `Terminal · ${host}`,
    command: commandOf('ssh.open', host),
    body: html`<div class="head"><h1>${host}</h1></div>
${tabsView(tabs, visit, params)}
${content}`,
  }
}

const formView = ({ links, path, token }: Visit, values: SentForm, words: string): Html =>
  html`<form class="run" method="post" action="${links.to(path)}"><input type="hidden" name="form" value="${token()}">
<div class="field"><label for="f-user">User on the host <small>optional</small></label><input type="text" id="f-user" name="user" maxlength="32" spellcheck="false" autocomplete="off" value="${values.get('user') ?? ''}"></div>
<div class="field"><label for="f-reason">Reason <small>optional</small></label><input type="text" id="f-reason" name="reason" maxlength="500" value="${values.get('reason') ?? ''}"></div>
<div class="actions"><button>${words}</button></div></form>`

/**
 * A relay in this process takes pages of its sites alone, and a browser does not tell a script why it was
 * refused.
 * @throws Problem `conflict`
 */
function requireOrigin({ plane: { config }, request: { headers } }: Visit): void {
  const { mode, allowedOrigins } = config.relay
  const { publicUrl } = config.service
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).origin]
  const allowed = allowedOrigins.length > 0 ? allowedOrigins : own
  const { origin } = headers
  if (mode !== 'embedded' || (origin !== undefined && allowed.includes(origin))) return
  throw new Problem('conflict', {
    detail: `the relay takes no terminals of ${origin ?? 'pages without an origin'}: set SERVICE_PUBLIC_URL to the address of this console, or name it in RELAY_ALLOWED_ORIGINS`,
  })
}
