import { PLACES, UNIT } from './installation.ts'
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

const STEPS = {
  users: ['systemd-sysusers', PLACES.users],
  folders: ['systemd-tmpfiles', '--create', PLACES.folders],
  reload: ['systemctl', 'daemon-reload'],
  enable: ['systemctl', 'enable', UNIT],
  start: ['systemctl', 'start', UNIT],
  restart: ['systemctl', 'restart', UNIT],
} as const

/** Returns the commands of a first installation, in their order. */
export const firstSteps = (users: readonly string[]): readonly Step[] => {
  const { folders, restart: _, ...always } = STEPS
  const { users: makeUsers, ...rest } = always
  return [makeUsers, ...(users.length > 1 ? [folders] : []), ...Object.values(rest)]
}

/**
 * Returns the commands that this machine needs after its files have changed: none when all is as it should
 * be.
 */
export async function neededSteps(users: readonly string[], changes: Changes): Promise<readonly Step[]> {
  const known = await Promise.all(users.map((name) => succeeds('getent', 'passwd', name)))
  const isNew = known.includes(false)
  const steps: Step[] = isNew ? [STEPS.users] : []
  if (isNew && users.length > 1) steps.push(STEPS.folders)
  if (changes.unit) steps.push(STEPS.reload)
  if (!(await succeeds('systemctl', 'is-enabled', '--quiet', UNIT))) steps.push(STEPS.enable)
  const isActive = await succeeds('systemctl', 'is-active', '--quiet', UNIT)
  if (!isActive) steps.push(STEPS.start)
  else if (changes.any || isNew) steps.push(STEPS.restart)
  return steps
}

/** Returns the commands that end an installed agent, before its files are removed. */
export const lastSteps: readonly Step[] = [['systemctl', 'disable', '--now', UNIT]]

/** Returns the commands that follow when the files are removed; with `users`, those users are removed too. */
export const stepsAfterRemoval = (users: readonly string[]): readonly Step[] => [
  ['systemctl', 'daemon-reload'],
  ...users.map((name) => ['userdel', name]),
]
