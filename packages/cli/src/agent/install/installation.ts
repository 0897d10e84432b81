import { additionText, appsText, type HandlerOwner, type UnitSettings, unitText } from './unit.ts'

/** The name of the unit. */
export const UNIT = 'svc-agent.service'

/** The unit of the program that keeps applications running. */
export const APPS_UNIT = 'svc-appsd.service'

/** The places of the parts of an installed agent. */
export const PLACES = {
  program: '/usr/local/lib/svc/svc-agent.mjs',
  key: '/etc/svc-agent/key',
  unit: `/etc/systemd/system/${UNIT}`,
  addition: `/etc/systemd/system/${UNIT}.d/handler-user.conf`,
  firewall: `/etc/systemd/system/${UNIT}.d/firewall.conf`,
  apps: `/etc/systemd/system/${APPS_UNIT}`,
  packages: `/etc/systemd/system/${APPS_UNIT}.d/packages.conf`,
  users: '/etc/sysusers.d/svc-agent.conf',
  folders: '/etc/tmpfiles.d/svc-agent.conf',
  state: '/var/lib/svc-agent',
  handlerHome: '/var/lib/svc-apps',
} as const

/** A file of the installation. */
export interface InstalledFile {
  readonly path: string
  readonly mode: number
  readonly text: string
  /** Mode of its folder, if that is made: open to all when absent. */
  readonly folderMode?: number
  /** Said instead of the text where files are shown. */
  readonly shownAs?: string
}

/** The choices of an installation. */
export interface InstallSettings extends UnitSettings {
  readonly handlerOwner: HandlerOwner | undefined
  /** Whether the agent may change the firewall and the hardening of the host. */
  readonly firewall: boolean
  /** Whether the host keeps applications running as units of systemd. */
  readonly apps: boolean
  /** Whether applications may name Debian packages that the host installs. */
  readonly packages: boolean
  /** The license key; absent: the one that stands there already. */
  readonly licenseKey: string | undefined
}

/** The shipped texts that an installation is made of. */
export interface ShippedParts {
  readonly program: string
  readonly unit: string
  readonly addition: string
  readonly firewall: string
  readonly apps: string
}

const OPEN = 0o644

const PACKAGES_TEXT = `# While this file is here, svc-appsd installs the Debian packages that applications name.
[Service]
`

/**
 * Returns the files of an installation. Users are declared to systemd-sysusers and their home to
 * systemd-tmpfiles, which also make them when an image with these files starts for the first time.
 */
export function installedFiles(settings: InstallSettings, shipped: ShippedParts): readonly InstalledFile[] {
  const { user, handlerOwner, licenseKey } = settings
  const { program, unit, addition } = shipped
  const files: InstalledFile[] = [
    { path: PLACES.program, mode: OPEN, text: program, shownAs: `the agent, ${program.length} characters` },
    { path: PLACES.users, mode: OPEN, text: usersText(user, handlerOwner?.user) },
    { path: PLACES.unit, mode: OPEN, text: unitText(unit, settings) },
  ]
  if (handlerOwner !== undefined) {
    files.push({ path: PLACES.addition, mode: OPEN, text: additionText(addition, handlerOwner) })
    files.push({ path: PLACES.folders, mode: OPEN, text: foldersText(handlerOwner) })
  }
  if (settings.firewall) files.push({ path: PLACES.firewall, mode: OPEN, text: shipped.firewall })
  if (settings.apps && handlerOwner !== undefined)
    files.push({ path: PLACES.apps, mode: OPEN, text: appsText(shipped.apps, settings.node, handlerOwner) })
  if (settings.packages) files.push({ path: PLACES.packages, mode: OPEN, text: PACKAGES_TEXT })
  if (licenseKey !== undefined) {
    const secret = { mode: 0o600, folderMode: 0o700, shownAs: 'the license key' }
    files.push({ path: PLACES.key, text: `${licenseKey}\n`, ...secret })
  }
  return files
}

const usersText = (user: string, handlerUser: string | undefined): string =>
  [
    `u ${user} - "svc host agent" ${PLACES.state}`,
    ...(handlerUser === undefined
      ? []
      : [`u ${handlerUser} - "handlers of the svc host agent" ${PLACES.handlerHome} /bin/sh`]),
    '',
  ].join('\n')

const foldersText = ({ user, group }: HandlerOwner): string =>
  `d ${PLACES.handlerHome} 0750 ${user} ${group}\n`

/** Returns the users that a text for systemd-sysusers declares. */
export const declaredUsers = (text: string): readonly string[] =>
  [...text.matchAll(/^u (\S+)/gm)].map(([, name = '']) => name)
