import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { succeeds } from '../../agent/install/systemd-host.ts'
import { SYSTEM } from './places.ts'
import { TABLE } from './switch-rules.ts'
import { isTaskName, isUnitName } from './unit-text.ts'
import { isKeeperUnit } from './user-unit.ts'

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

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
  const units = namesIn(SYSTEM.units).filter((name) => isUnitName(name) || isKeeperUnit(name))
  const tasks = namesIn(SYSTEM.transient).filter(isTaskName)
  const users = namesIn(join(SYSTEM.state, 'state'))
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
    folders: [SYSTEM.state, SYSTEM.running].filter((folder) => existsSync(folder)),
    after: [
      ...(hasRules ? [['nft', 'delete', 'table', 'inet', TABLE]] : []),
      ...users.map((name) => ['userdel', name]),
    ],
  }
}
