import { existsSync } from 'node:fs'
import { APPS_UNIT, PLACES } from '../../agent/install/installation.ts'

/** The places of applications on a host where systemd keeps them running. */
export const SYSTEM = {
  unit: APPS_UNIT,
  /** The unit of the supervisor, which is root's. */
  unitFile: PLACES.apps,
  /** The folder of the applications: the installed agent's. */
  apps: `${PLACES.state}/apps`,
  /** The supervisor's own folder. */
  state: '/var/lib/svc-appsd',
  /** The folder of its socket, which the group of the handlers may enter. */
  control: '/run/svc-appsd',
  /** The podman folders of the users of applications. */
  containers: '/var/lib/svc-appsd/containers',
  /** Their files of this start of the machine. */
  running: '/run/svc-app',
  units: '/etc/systemd/system',
  /** The units that are gone with the next start of the machine. */
  transient: '/run/systemd/system',
  /** The units that systemd was told of without a file. It writes these, and reads them before all others. */
  told: '/run/systemd/transient',
  /** The links that start a unit with the machine. */
  wants: '/etc/systemd/system/multi-user.target.wants',
} as const

/** Whether systemd keeps the applications of a folder running. */
export const isSystemHost = (apps: string): boolean => apps === SYSTEM.apps && existsSync(SYSTEM.unitFile)
