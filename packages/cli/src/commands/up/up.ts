import { join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Config,
  type ControlPlane,
  generateSigningKey,
  type License,
  ofLicense,
  readConfig,
} from '@svc/core'
import { ownFolder } from '@svc/core/adapters'
import { DEFAULT_DATA_DIR } from '../../connect/connect.ts'
import type { Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'
import { openLog } from '../../terminal/log.ts'
import { plain } from '../../terminal/terminal.ts'
import { startService } from '../serve/running-service.ts'
import { endService, flagSettings } from '../serve/serve.ts'
import { stopRequest } from '../serve/stop-request.ts'
import { AttachedAgent } from './attached-agent.ts'
import { AttachedApps } from './attached-apps.ts'
import { keepSecret, keptSecret, LICENSE_KEY, readSecret, SIGNING_KEY } from './kept-secret.ts'
import { withOwnRelay } from './own-relay.ts'
import { SAMPLE_APP, sampleApp } from './sample-app.ts'
import { welcome } from './welcome.ts'

/** Flags of `svc up`. */
export interface UpOptions {
  readonly host?: string
  readonly port?: string
  readonly tick?: string
}

/** Quiet unless asked: the welcome shall stay on the screen. */
const LOG_LEVEL = 'warn'

/** Runs a control plane, one agent of this machine and its applications, everything kept in one folder. */
export const up: Handler<UpOptions> = async ({ io, options }): Promise<ExitCode> => {
  io.keepPrivate()
  const dataDir = resolve(io.cwd, options.dataDir ?? DEFAULT_DATA_DIR)
  await ownFolder(dataDir)
  const { config, reachedAt } = withOwnRelay(await configOf(io, options, dataDir), io.env)
  const log = openLog(io, config.service.logLevel)
  const say = (step: string) => io.err.write(`${plain(step)} …\n`)
  const attached: AttachedAgent[] = []
  const stop = stopRequest(io, log, () => attached[0]?.hurry())
  try {
    say(`starting the control plane on ${relative(io.cwd, dataDir) || dataDir}`)
    const stateDir = join(dataDir, 'agent')
    await using apps = new AttachedApps({ io, log, apps: join(stateDir, 'apps') })
    await using service = await startService({ io, config, log, onLost: stop.fail })
    const { plane, url } = service
    reachedAt(url)
    const keyFile = join(dataDir, LICENSE_KEY)
    const license = await firstLicense(plane, keyFile, io.actor)
    await using agent = new AttachedAgent({ io, log, url, keyFile, stateDir })
    attached.push(agent)
    // In production no app has its repository on this machine.
    const isTrial = !config.service.production
    const source = isTrial ? await sampleApp(io, log, join(dataDir, 'sample-app')) : undefined
    say('waiting for the first report of this machine')
    await firstHeartbeat(plane, license.id, stop.asked)
    if (source !== undefined) await ensureApp(plane, license.id, source.repo_url)
    const key = (await readSecret(keyFile)) ?? ''
    const front = await apps.port()
    const isFirst = plane.sessions.isOpen && !(await plane.users.hasFirst())
    const firstCode = isFirst ? plane.sessions.firstCode().code : undefined
    const folder = folderFlag(io, dataDir)
    const parts = { url, key, license: license.id, dataDir: folder, source, front, firstCode }
    io.out.write(welcome(io, parts))
    const cause = await stop.asked
    await agent[Symbol.asyncDispose]()
    return await endService(io, service, cause)
  } finally {
    stop.release()
  }
}

async function configOf(io: Io, { host, port, tick }: UpOptions, dataDir: string): Promise<Config> {
  const minted = () => generateSigningKey().privateKey
  const { SERVICE_LICENSE_PRIVKEY: given, SERVICE_LICENSE_PRIVKEY_FILE: file } = io.env
  const isGiven = [given, file].some((value) => value?.trim())
  return readConfig({
    SERVICE_LOG_LEVEL: LOG_LEVEL,
    ...io.env,
    ...flagSettings({ host, port, dataDir, tick }),
    DATABASE_URL: '',
    DATABASE_URL_FILE: '',
    DATABASE_SESSION_URL: '',
    DATABASE_SESSION_URL_FILE: '',
    ...(isGiven ? {} : { SERVICE_LICENSE_PRIVKEY: await keptSecret(join(dataDir, SIGNING_KEY), minted) }),
  })
}

/** The license of the attached agent: the one whose key is kept, else a new one. */
async function firstLicense(
  plane: ControlPlane,
  keyFile: string,
  actor: string,
): Promise<Pick<License, 'id'>> {
  const known = await readSecret(keyFile)
  const license = known === undefined ? undefined : await plane.licenses.byKey(known)
  if (license !== undefined && license.status !== 'revoked') return license
  const answer = await plane.operations.run('licenses.issue', { label: 'this machine' }, actor)
  const { license: issued, key } = answer
  await keepSecret(keyFile, key)
  return issued
}

/** The sample application has this machine and its repository, so that one word deploys it. */
async function ensureApp({ apps, agents }: ControlPlane, licenseId: string, repoUrl: string): Promise<void> {
  const scope = ofLicense(licenseId)
  const [host] = await agents.list(scope)
  const known = (await apps.list(scope)).find(({ name }) => name === SAMPLE_APP)
  const settings = { fingerprint: host?.fingerprint, repoUrl }
  if (known === undefined) await apps.create(licenseId, SAMPLE_APP, settings)
  else if (known.repoUrl === undefined) await apps.set(known, settings)
}

const HEARTBEAT_PATIENCE_MS = 10_000
const LOOK_MS = 50

/** The list of hosts shall not be empty when people first look at it. */
async function firstHeartbeat(plane: ControlPlane, licenseId: string, stop: Promise<unknown>): Promise<void> {
  const until = performance.now() + HEARTBEAT_PATIENCE_MS
  let isStopped = false
  void stop.then(() => {
    isStopped = true
  })
  while (!isStopped && performance.now() < until) {
    const servers = await plane.agents.servers(licenseId)
    if (servers.some(({ state }) => state !== 'offline' && state !== 'unknown')) return
    await pause(LOOK_MS)
  }
}

/** The folder as other commands must be told it; undefined when they find it by themselves. */
function folderFlag({ cwd, env }: Io, dataDir: string): string | undefined {
  const isFound = dataDir === resolve(cwd, DEFAULT_DATA_DIR)
  const isOvershadowed = [env.DATABASE_URL, env.DATABASE_URL_FILE, env.SERVICE_DATA_DIR].some((value) =>
    value?.trim(),
  )
  return isFound && !isOvershadowed ? undefined : relative(cwd, dataDir)
}
