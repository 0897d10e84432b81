import { type Import, lineAt, type Source } from './source.ts'
import type { Fault, Workspace } from './workspace.ts'

/** The guarded client, which checks and pins every address that it calls (decision 4). */
const GUARD = /^packages\/core\/src\/platform\/net\//

// Files outside of the guard whose addresses no outsider can choose.
const OWN_CALLS: readonly { readonly path: RegExp; readonly why: string }[] = [
  {
    path: /^packages\/cli\/src\/connect\/http-client\.ts$/,
    why: 'commands call the control plane that their user names, an agent the one that it belongs to',
  },
  {
    path: /^packages\/cli\/src\/agent\/transfer\/(?:peer-client|pinned-tls)\.ts$/,
    why: 'an agent calls the host that its operator names, and compares the pin of its TLS key first',
  },
  {
    path: /^packages\/http\/src\/client\/client\.ts$/,
    why: 'a program calls the control plane that it names itself; the service loads none of it',
  },
  { path: /^packages\/cli\/src\/connect\/control-client\.ts$/, why: 'a socket file of this machine' },
  {
    path: /^packages\/cli\/src\/relay\/relay-socket\.ts$/,
    why: 'hosts and operators connect to the relay that their own control plane names',
  },
  {
    path: /^packages\/cli\/src\/agent\/access\/host-connection\.ts$/,
    why: 'an SSH server of this machine, at a port that its own file names',
  },
  {
    path: /^packages\/cli\/src\/host-apps\/(?:front|health|control-client)\.ts$/,
    why: 'applications of this machine, at ports of loopback that their supervisor gave them, and its socket file',
  },
  {
    path: /^packages\/cli\/src\/host-apps\/system\/proxy-sight\.ts$/,
    why: 'asks the resolver of this machine, and looks at the certificate of its own proxy at 127.0.0.1',
  },
  {
    path: /^packages\/cli\/src\/host-apps\/system\/task-input\.ts$/,
    why: 'writes to a pipe of this machine',
  },
  {
    path: /^packages\/http\/src\/mount\/web-request\.ts$/,
    why: 'a request without a connection has a socket that nobody connects',
  },
  { path: /^packages\/http\/src\/server\/socket-file\.ts$/, why: 'a socket file of this machine' },
  {
    path: /^packages\/core\/src\/platform\/database\/lock-socket\.ts$/,
    why: 'a socket file of this machine',
  },
  {
    path: /^packages\/core\/src\/platform\/dns\/dns-client-node\.ts$/,
    why: 'asks DNS servers that settings or an operator name for a monitor; no answer is connected to',
  },
  {
    path: /^packages\/cli\/src\/browser\/egress-proxy\.ts$/,
    why: 'writes requests to sockets that the guard opened',
  },
  {
    path: /^packages\/cli\/src\/browser\/leak-test\.ts$/,
    why: 'listens on loopback for packets that a browser should not send; it sends none itself',
  },
  {
    path: /^packages\/core\/src\/(?:outside\/smtp\/mail-relay-smtp|reach\/email\/smtp\/(?:compose|nodemailer))\.ts$/,
    why: 'speaks to the mail relay that the settings name',
  },
]

interface Opener {
  readonly module: RegExp
  /** Names that open no connection and may be imported anywhere. */
  readonly harmless: RegExp
}

const OPENERS: readonly Opener[] = [
  { module: /^nodemailer(?:\/|$)/, harmless: /^$/ },
  { module: /^httpxy(?:\/|$)/, harmless: /^$/ },
  { module: /^undici(?:\/|$)/, harmless: /^$/ },
  {
    module: /^(?:node:)?https?$/,
    harmless: /^(?:createServer|Server|IncomingMessage|ServerResponse|STATUS_CODES)$/,
  },
  { module: /^(?:node:)?net$/, harmless: /^(?:createServer|Server|isIP|isIPv4|isIPv6|BlockList)$/ },
  { module: /^(?:node:)?tls$/, harmless: /^(?:createServer|Server|createSecureContext|getCACertificates)$/ },
  { module: /^(?:node:)?http2$/, harmless: /^(?:createServer|createSecureServer|constants)$/ },
  { module: /^(?:node:)?(?:dgram|dns|dns\/promises)$/, harmless: /^$/ },
]

const GLOBALS =
  /(?<![\w$.#]|\bfunction\s+)(?:fetch|WebSocket|EventSource|XMLHttpRequest)(?=\s*\()|\bglobalThis\s*\.\s*(?:fetch|WebSocket|EventSource|XMLHttpRequest)\b/g

const MEND =
  'Call out through createOutbound or operatorOutbound of core/src/platform/net: they judge and pin the address.'

function opens({ specifier, names, runtime }: Import): boolean {
  if (!runtime) return false
  const opener = OPENERS.find(({ module }) => module.test(specifier))
  return opener !== undefined && names.some((name) => !opener.harmless.test(name))
}

function openersOf({ code, imports, path }: Source): Fault[] {
  const fault = (line: number, what: string): Fault => ({
    path,
    line,
    rule: 'calls-out',
    message: `${what} has no place here. ${MEND}`,
  })
  return [
    ...imports.filter(opens).map(({ line, specifier }) => fault(line, `a connection (${specifier})`)),
    ...[...code.matchAll(GLOBALS)].map(({ index, 0: text }) => fault(lineAt(code, index), text)),
  ]
}

/** Requires the guard for every outgoing connection, except in the files of `OWN_CALLS`. */
export function checkCallsOut({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => !GUARD.test(path) && !OWN_CALLS.some((own) => own.path.test(path)))
    .flatMap(openersOf)
}
