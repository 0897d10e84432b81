import type { Fault } from '../fault.ts'

const PAGE = 'packages/http/src/console/pages/terminal.ts'
const SCRIPT = 'packages/http/console-assets/terminal.js'
const SERVED = ['packages/http/test/console/terminal.test.ts']
const CHROMIUM = ['packages/cli/test/console/terminal.test.ts']

/** Mistakes of the terminal in the browser. */
export const faults: readonly Fault[] = [
  {
    name: 'web terminal: a form of nobody opens a session',
    file: PAGE,
    find: '    await takeForm(visit, form)\n',
    replace: '',
    suites: SERVED,
  },
  {
    name: 'web terminal: a session is opened that the relay refuses to carry',
    file: PAGE,
    find: '    requireOrigin(visit)\n',
    replace: '',
    suites: SERVED,
  },
  {
    name: 'web terminal: everybody sees the form',
    file: PAGE,
    find: "if (!visit.may('ssh.open'))",
    replace: "if (!visit.may('fleet.show'))",
    suites: SERVED,
  },
  {
    name: 'web terminal: the form tells hosts that are there from hosts that are not',
    file: PAGE,
    find: "    await visit.run('fleet.show', params)\n",
    replace: '',
    suites: SERVED,
  },
  {
    name: 'web terminal: a page with a ticket is compressed',
    file: PAGE,
    find: '      hasSecret: true,\n',
    replace: '',
    suites: SERVED,
  },
  {
    name: 'web terminal: any page may have styles with a nonce',
    file: 'packages/http/src/console/console.ts',
    find: 'nonce === undefined ? "style-src \'self\'"',
    replace: "nonce === '' ? \"style-src 'self'\"",
    suites: SERVED,
  },
  {
    name: 'web terminal: the ticket stays in the page',
    file: SCRIPT,
    find: 'delete box.dataset.ticket\n',
    replace: '',
    suites: CHROMIUM,
  },
  {
    name: 'web terminal: colours that are mixed are lost',
    file: SCRIPT,
    find: "if (name === 'style') this.style.cssText = value",
    replace: "if (name === 'none') this.style.cssText = value",
    suites: CHROMIUM,
  },
  {
    name: 'web terminal: styles have no nonce',
    file: SCRIPT,
    find: "if (name === 'style') element.nonce = nonce",
    replace: "if (name === 'none') element.nonce = nonce",
    suites: CHROMIUM,
  },
  {
    name: 'web terminal: bytes are never confirmed',
    file: SCRIPT,
    find: "if (unacked > 0) control({ t: 'ack', n: unacked })",
    replace: "if (unacked < 0) control({ t: 'ack', n: unacked })",
    suites: CHROMIUM,
  },
  {
    name: 'web terminal: the host does not hear of the size',
    file: SCRIPT,
    find: 'terminal.onResize(resize)\n',
    replace: '',
    suites: CHROMIUM,
  },
  {
    name: 'web terminal: a session that is over says nothing of its end',
    file: SCRIPT,
    find: 'said ??= ENDS[reason]',
    replace: 'said ??= reason && undefined',
    suites: CHROMIUM,
  },
]
