import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeeds } from '../../agent/install/systemd-host.ts'
import { DATABASE_USERS, DATABASES_PREFIX } from '../data/server-unit.ts'
import { SYSTEM } from './places.ts'
import { SERVICE_RANGE, TABLE } from './switch-rules.ts'
import { ran } from './systemctl.ts'
import { DATABASES_TARGET, isTaskName, isUnitName } from './unit-text.ts'
import { isKeeperUnit } from './user-unit.ts'

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Whether a file is the unit of a server of databases. */
const isDatabaseUnit = (name: string): boolean =>
  name === DATABASES_TARGET || (name.startsWith(DATABASES_PREFIX) && name.endsWith('.service'))

/** The users of servers of databases, also of those that were dropped. */
const databaseUsers = (): readonly string[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name = '', , , , words]) => (words === DATABASE_USERS ? [name] : []))

/** The things of a host that applications leave behind. */
export interface AppsLeft {
  /** Commands that run while the files are there. */
  readonly before: readonly (readonly string[])[]
  readonly files: readonly string[]
  readonly folders: readonly string[]
  /** Commands that run when the files are gone. */
  readonly after: readonly (readonly string[])[]
}

/** Finds everything that keeps applications running on this host: units, rules, users and folders. */
export async function appsLeft(): Promise<AppsLeft> {
  const isOurs = (name: string) => isUnitName(name) || isKeeperUnit(name) || isDatabaseUnit(name)
  const units = namesIn(SYSTEM.units).filter(isOurs)
  const tasks = namesIn(SYSTEM.transient).filter(isTaskName)
  const users = [
    ...['state', 'builds'].flatMap((name) => namesIn(join(SYSTEM.state, name))),
    ...databaseUsers(),
  ]
  const wants = join(SYSTEM.units, `${DATABASES_TARGET}.wants`)
  const route = await ran('ip', 'route', 'show', 'table', 'local').catch(() => '')
  const hasRoute = route.includes(`local ${SERVICE_RANGE} `)
  const hasRules = await succeeds('nft', 'list', 'table', 'inet', TABLE)
  return {
    before: [
      ...(units.length === 0 ? [] : [['systemctl', 'disable', '--now', ...units]]),
      ...(tasks.length === 0 ? [] : [['systemctl', 'stop', ...tasks]]),
    ],
    files: [
      ...units.map((unit) => join(SYSTEM.units, unit)),
      ...tasks.map((unit) => join(SYSTEM.transient, unit)),
    ],
    folders: [SYSTEM.state, SYSTEM.running, wants].filter((folder) => existsSync(folder)),
    after: [
      ...(hasRules ? [['nft', 'delete', 'table', 'inet', TABLE]] : []),
      ...(hasRoute ? [['ip', 'route', 'delete', 'local', SERVICE_RANGE, 'dev', 'lo']] : []),
      ...users.map((name) => ['userdel', name]),
    ],
  }
}
