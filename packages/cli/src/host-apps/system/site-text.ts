import { bodyBytes, type Exposure } from '@svc/core/adapters'

/** A domain of an application, and the port of 127.0.0.1 that answers its visitors. */
export interface Site {
  readonly domain: string
  readonly port: number
  /** Ports that answer below paths. */
  readonly paths?: Readonly<Record<string, number>>
  readonly exposure: Exposure
}

/** The operator's certificate of a domain on this host, and its key. */
export const certificateFiles = (domain: string): readonly [string, string] => [
  `/etc/caddy/certificates/${domain}.crt`,
  `/etc/caddy/certificates/${domain}.key`,
]

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `\t${line}`)
const block = (head: string, lines: readonly string[]): readonly string[] => [
  `${head} {`,
  ...indented(lines),
  '}',
]

/** Connections to instances are not kept, and no request is repeated: it must not reach a second one. */
const proxy = (port: number, matcher = ''): readonly string[] =>
  block(`reverse_proxy ${matcher}127.0.0.1:${port}`, block('transport http', ['keepalive off']))

/** The longest path counts: it comes first, since the first that fits does. */
const below = (paths: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(paths)
    .sort(([one], [other]) => other.length - one.length || one.localeCompare(other))
    .flatMap(([path, port], index) => [
      `@path${index} path ${path} ${path}/*`,
      ...proxy(port, `@path${index} `),
    ])

/** It takes the place of a word of the application, whose answers pass later. */
const HSTS = block('header', ['Strict-Transport-Security max-age=31536000', 'defer'])

/** A body that says its length is refused before it comes, any other one when it is too long. */
const limited = (bytes: number): readonly string[] => [
  `@large expression \`{http.request.header.Content-Length} != "" && int({http.request.header.Content-Length}) > ${bytes}\``,
  'respond @large 413',
  ...block('request_body', [`max_size ${bytes}`]),
]

function siteLines({ domain, port, paths = {}, exposure }: Site): readonly string[] {
  const { tls, redirect_to: target, allow, basic_auth: login, hsts, max_body: most } = exposure
  return block(tls === 'off' ? `http://${domain}` : domain, [
    ...(tls === 'internal' ? ['tls internal'] : []),
    ...(tls === 'certificate' ? [`tls ${certificateFiles(domain).join(' ')}`] : []),
    // In a route the lines count in their order, whatever order Caddy has for them otherwise.
    ...block('route', [
      ...(hsts ? HSTS : []),
      ...(allow === undefined ? [] : [`@outside not remote_ip ${allow.join(' ')}`, 'respond @outside 403']),
      ...(login === undefined ? [] : block('basicauth', [`${login.user} ${hashOf(login.hash)}`])),
      ...(most === undefined ? [] : limited(bodyBytes(most))),
      ...(target === undefined
        ? [...below(paths), ...proxy(port)]
        : [`redir ${tls === 'off' ? 'http' : 'https'}://${target}{uri} permanent`]),
    ]),
  ])
}

/** Caddy 2.6 takes digests of bcrypt in base64 alone. */
const hashOf = (bcrypt: string): string => Buffer.from(bcrypt).toString('base64')

/** Returns the file of an application's domains as Caddy reads it. */
export const sitesText = (app: string, sites: readonly Site[]): string =>
  `${[`# Written by svc for the application ${app}: changes here are lost.`, ...sites.flatMap(siteLines)].join('\n')}\n`
