import { existsSync, readFileSync, statSync } from 'node:fs'
import { statusOf } from '../../host-apps/control-client.ts'
import { MARIADB_HOME, MARIADB_UNIT, mariadbProgram } from '../../host-apps/data/mariadb-server.ts'
import { POSTGRES_DATA, POSTGRES_UNIT, postgresPrograms } from '../../host-apps/data/postgres-server.ts'
import { keyValueProgram, VALKEY_HOME } from '../../host-apps/data/valkey-server.ts'
import { examineProxy } from '../../host-apps/system/caddy.ts'
import { SYSTEM } from '../../host-apps/system/places.ts'
import { missingPackages } from '../../host-apps/system/podman.ts'
import { ran } from '../../host-apps/system/systemctl.ts'
import { APPS_UNIT, PLACES, UNIT } from './installation.ts'
import { succeeds } from './systemd-host.ts'
import { ownerIn } from './unit.ts'

/** A part of a host, and how it is there. */
export interface HostCheck {
  readonly name: string
  /** `skipped`: nothing that is installed here needs it. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  /** The meaning of the status, and the remedy. */
  readonly meaning: string
}

type Found = Pick<HostCheck, 'status' | 'meaning'>

const ok = (meaning = ''): Found => ({ status: 'ok', meaning })
const warn = (meaning: string): Found => ({ status: 'warn', meaning })
const fail = (meaning: string): Found => ({ status: 'fail', meaning })
const skipped = (meaning: string): Found => ({ status: 'skipped', meaning })

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const keepsApps = (): boolean => existsSync(PLACES.apps)

const programCheck =
  (program: string, word: string, purpose: string, ...packages: readonly string[]) =>
  async (): Promise<Found> =>
    (await succeeds(program, word)) ? ok() : warn(`${purpose}: install the package ${packages.join(' or ')}`)

async function agentCheck(): Promise<Found> {
  if (!existsSync(PLACES.unit)) return fail('no agent is installed: svc agent install --url …')
  if (await succeeds('systemctl', 'is-active', '--quiet', UNIT)) return ok()
  return fail(`${UNIT} does not run: see systemctl status ${UNIT}`)
}

/** Groups whose members have the rights of root. */
const ROOT_GROUPS = ['root', 'docker', 'sudo', 'wheel', 'disk', 'lxd']

async function handlersCheck(): Promise<Found> {
  const owner = ownerIn(textOf(PLACES.addition))
  if (owner === undefined)
    return warn('handlers can read the license key: svc agent install --handler-user svc-apps')
  const groups = (await ran('id', '-nG', owner.user).catch(() => '')).trim().split(/\s+/)
  const strong = groups.filter((group) => ROOT_GROUPS.includes(group))
  if (strong.length === 0) return ok(`handlers run as ${owner.user}`)
  return fail(`${owner.user} is in the group ${strong.join(', ')}, which has the rights of root: take it out`)
}

async function appsCheck(): Promise<Found> {
  if (!keepsApps()) return skipped('svc agent install --apps keeps applications running as units of systemd')
  const status = await statusOf(SYSTEM.apps)
  if (status === undefined) return fail(`${APPS_UNIT} does not answer: see systemctl status ${APPS_UNIT}`)
  const down = status.apps.filter(({ state }) => state === 'starting').map(({ app }) => app)
  if (down.length > 0) return warn(`not up: ${down.join(', ')}; see svc apps logs`)
  return ok(`${status.apps.length} applications`)
}

async function rulesCheck(): Promise<Found> {
  if (!keepsApps()) return skipped('no applications are kept running')
  if (await succeeds('nft', 'list', 'tables')) return ok()
  return fail('visitors reach no application: install the package nftables')
}

function containersCheck(): Found {
  if (!keepsApps()) return skipped('no applications are kept running')
  const missing = missingPackages()
  if (missing.length > 0) return warn(`no application runs in a container: install ${missing.join(', ')}`)
  const device = statSync('/dev/net/tun', { throwIfNoEntry: false })
  if (device === undefined) return warn('containers have no network: modprobe tun')
  if ((device.mode & 0o006) === 0o006) return ok()
  return warn('containers have no network: chmod 0666 /dev/net/tun, as Debian has it')
}

function limitsCheck(): Found {
  if (!keepsApps()) return skipped('no applications are kept running')
  const controllers = textOf('/sys/fs/cgroup/cgroup.controllers').trim().split(/\s+/)
  const missing = ['memory', 'cpu'].filter((name) => !controllers.includes(name))
  if (missing.length === 0) return ok()
  return warn(
    `limits of ${missing.join(' and ')} are shown and not carried out: the kernel has no controller`,
  )
}

async function proxyCheck(): Promise<Found> {
  if (!keepsApps()) return skipped('no applications are kept running')
  const fault = await examineProxy()
  return fault === undefined ? ok() : warn(`no domain can lead to an application: ${fault}`)
}

/** A server of databases is no part that every host needs: one that made databases has to be there. */
const databasesCheck = (find: () => string, unit: string, folder: string) => async (): Promise<Found> => {
  if (!keepsApps()) return skipped('no applications are kept running')
  const isUsed = existsSync(folder)
  try {
    find()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return isUsed ? fail(why) : skipped(why)
  }
  if (!isUsed) return ok('no databases yet')
  const states = (await ran('systemctl', 'list-units', '--plain', '--no-legend', '--failed', unit)).trim()
  return states === '' ? ok() : fail(`it failed: see systemctl status ${states.split(' ')[0]}`)
}

const CHECKS: Readonly<Record<string, () => Found | Promise<Found>>> = {
  agent: agentCheck,
  handlers: handlersCheck,
  git: programCheck('git', '--version', 'deploys fetch with it', 'git'),
  restic: programCheck('restic', 'version', 'backups are made with it', 'restic'),
  applications: appsCheck,
  rules: rulesCheck,
  containers: containersCheck,
  limits: limitsCheck,
  proxy: proxyCheck,
  postgres: databasesCheck(postgresPrograms, POSTGRES_UNIT, POSTGRES_DATA),
  mariadb: databasesCheck(() => mariadbProgram('mariadbd'), MARIADB_UNIT, MARIADB_HOME),
  valkey: databasesCheck(() => keyValueProgram('server'), 'svc-db-valkey@*', VALKEY_HOME),
}

/** Looks at the parts of this host that an installed agent works with. Needs root. */
export async function examineHost(): Promise<readonly HostCheck[]> {
  const named = Object.entries(CHECKS).map(async ([name, look]): Promise<HostCheck> => {
    const found = await Promise.resolve()
      .then(look)
      .catch((error: Error) => fail(error.message))
    return { name, ...found }
  })
  return Promise.all(named)
}
