import { Problem } from '@svc/core'

/** The choices of an installation that stand in the unit of systemd. */
export interface UnitSettings {
  /** Address of the control plane. */
  readonly url: string
  /** The user of the agent. */
  readonly user: string
  /** The Node.js that runs the agent, as an absolute path. */
  readonly node: string
  /** Folder of executables named after job kinds; absent: the handlers that come with the agent. */
  readonly handlers?: string | undefined
}

const USER_NAME = /^[a-z_][a-z0-9_-]{0,30}$/
const PLAIN_PATH = /^\/[\w./+@:-]*$/
// The values of the shipped unit that an installation replaces.
const SHIPPED = {
  user: 'User=svc-agent\n',
  url: 'Environment=SERVICE_URL=https://svc.example\n',
  node: 'ExecStart=/usr/bin/node ',
  handlers: ' run --state-dir ',
} as const

const refused = (detail: string): Problem => new Problem('invalid-input', { detail })

/**
 * Returns the address as the unit has it.
 * @throws Problem `invalid-input` for an address that is none, or that holds a password: every user of the
 * machine can read the unit
 */
export function unitUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refused('the address of the control plane must be an http or https URL')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refused('the address of the control plane must hold no name, password, query or fragment')
  }
  return url.href.replace(/\/$/, '').replaceAll('%', '%%').replaceAll("'", '%%27')
}

/**
 * Checks the name of a user that the agent or its handlers get.
 * @throws Problem `invalid-input`
 */
export function userName(text: string): string {
  if (USER_NAME.test(text) && text !== 'root') return text
  throw refused(`'${text}' is no name for a user of the agent: a-z, 0-9, dash, underscore, and not root`)
}

/**
 * Checks a path that a unit names: systemd gives blanks, quotes, `%` and `$` a meaning.
 * @throws Problem `invalid-input`
 */
export function unitPath(text: string): string {
  if (PLAIN_PATH.test(text)) return text
  throw refused(`the unit needs an absolute path of plain characters, not '${text}'`)
}

/** Returns the shipped unit with these choices in it. With the shipped choices it is unchanged. */
export function unitText(shipped: string, { url, user, node, handlers }: UnitSettings): string {
  const choices = {
    user: `User=${user}\n`,
    url: `Environment=SERVICE_URL=${url}\n`,
    node: `ExecStart=${node} `,
    handlers: handlers === undefined ? SHIPPED.handlers : ` run --handlers ${handlers} --state-dir `,
  }
  return Object.entries(SHIPPED).reduce((text, [name, piece]) => {
    if (!text.includes(piece)) throw new Error(`the shipped unit does not hold: ${piece}`)
    return text.replace(piece, () => choices[name as keyof typeof choices])
  }, shipped)
}

/** The user of handlers, and the group that they get: its own when none is named. */
export interface HandlerOwner {
  readonly user: string
  readonly group: string
}

/**
 * Reads `NAME` or `NAME:GROUP`.
 * @throws Problem `invalid-input`
 */
export function handlerOwner(text: string): HandlerOwner {
  const [user = '', group = user] = text.split(/:(.*)/s)
  return { user: userName(user), group: userName(group) }
}

/** Returns the owner that an addition to the unit names; undefined when it names none. */
export function ownerIn(addition: string): HandlerOwner | undefined {
  const name = /^Environment=SERVICE_HANDLER_USER=(\S+)$/m.exec(addition)?.[1]
  return name === undefined ? undefined : handlerOwner(name)
}

/** Returns the shipped unit of applications, for the handlers that give it orders. */
export const appsText = (shipped: string, node: string, { group }: HandlerOwner): string =>
  shipped
    .replace('Group=svc-apps\n', () => `Group=${group}\n`)
    .replace('ExecStart=/usr/bin/node ', () => `ExecStart=${node} `)

/** Returns the shipped addition to the unit, for these handlers. */
export function additionText(shipped: string, { user, group }: HandlerOwner): string {
  const named = user === group ? user : `${user}:${group}`
  return shipped
    .replace('Group=svc-apps\n', () => `Group=${group}\n`)
    .replace('SERVICE_HANDLER_USER=svc-apps\n', () => `SERVICE_HANDLER_USER=${named}\n`)
}
