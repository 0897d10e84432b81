import { APPS_UNIT, PLACES, UNIT } from './installation.ts'
import { succeeds } from './systemd-host.ts'

/** A command of an installation, word by word. */
export type Step = readonly string[]

/** Which parts of an installation are others than before. */
export interface Changes {
  /** The unit or its addition. */
  readonly unit: boolean
  /** Anything that a running agent has read already. */
  readonly any: boolean
}

/** The parts of the machine that an installation is made for. */
export interface Wanted {
  readonly users: readonly string[]
  /** Whether applications are kept running. */
  readonly apps: boolean
}

const STEPS = {
  users: ['systemd-sysusers', PLACES.users],
  folders: ['systemd-tmpfiles', '--create', PLACES.folders],
  reload: ['systemctl', 'daemon-reload'],
  enableApps: ['systemctl', 'enable', APPS_UNIT],
  startApps: ['systemctl', 'restart', APPS_UNIT],
  enable: ['systemctl', 'enable', UNIT],
  start: ['systemctl', 'start', UNIT],
  restart: ['systemctl', 'restart', UNIT],
} as const

/** Returns the commands of a first installation, in their order. */
export const firstSteps = ({ users, apps }: Wanted): readonly Step[] => [
  STEPS.users,
  ...(users.length > 1 ? [STEPS.folders] : []),
  STEPS.reload,
  ...(apps ? [STEPS.enableApps, STEPS.startApps] : []),
  STEPS.enable,
  STEPS.start,
]

/**
 * Returns the commands that this machine needs after its files have changed: none when all is as it should
 * be.
 */
export async function neededSteps({ users, apps }: Wanted, changes: Changes): Promise<readonly Step[]> {
  const known = await Promise.all(users.map((name) => succeeds('getent', 'passwd', name)))
  const isNew = known.includes(false)
  const steps: Step[] = isNew ? [STEPS.users] : []
  if (isNew && users.length > 1) steps.push(STEPS.folders)
  if (changes.unit) steps.push(STEPS.reload)
  if (apps) {
    if (!(await succeeds('systemctl', 'is-enabled', '--quiet', APPS_UNIT))) steps.push(STEPS.enableApps)
    const isUp = await succeeds('systemctl', 'is-active', '--quiet', APPS_UNIT)
    if (!isUp || changes.any) steps.push(STEPS.startApps)
  }
  if (!(await succeeds('systemctl', 'is-enabled', '--quiet', UNIT))) steps.push(STEPS.enable)
  const isActive = await succeeds('systemctl', 'is-active', '--quiet', UNIT)
  if (!isActive) steps.push(STEPS.start)
  else if (changes.any || isNew) steps.push(STEPS.restart)
  return steps
}

/** Returns the commands that end an installed agent, before its files are removed. */
export const lastSteps: readonly Step[] = [['systemctl', 'disable', '--now', UNIT]]

/** Returns the commands that end the program of applications. The applications themselves go on. */
export const lastAppsSteps: readonly Step[] = [['systemctl', 'disable', '--now', APPS_UNIT]]

/** Returns the commands that follow when the files are removed; with `users`, those users are removed too. */
export const stepsAfterRemoval = (users: readonly string[]): readonly Step[] => [
  ['systemctl', 'daemon-reload'],
  ...users.map((name) => ['userdel', name]),
]
