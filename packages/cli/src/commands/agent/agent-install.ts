import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Problem } from '@svc/core/client'
import {
  declaredUsers,
  type InstalledFile,
  type InstallSettings,
  installedFiles,
  PLACES,
} from '../../agent/install/installation.ts'
import { place, placedText, removePlaced } from '../../agent/install/placed-file.ts'
import { firstSteps, neededSteps, type Step } from '../../agent/install/steps.ts'
import { demandNft, demandOpenProgram, demandSystemd, mustRun } from '../../agent/install/systemd-host.ts'
import {
  type HandlerOwner,
  handlerOwner,
  ownerIn,
  unitPath,
  unitUrl,
  userName,
} from '../../agent/install/unit.ts'
import { allowsFirewall } from '../../agent/security/allowed.ts'
import { checkedKey, licenseKeyIn } from '../../connect/license-key.ts'
import { missingPackages } from '../../host-apps/system/podman.ts'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { oneFileAgent, shippedText } from '../../shipped.ts'
import type { Io } from '../../terminal/io.ts'

/** Flags of `svc agent install`. */
export interface AgentInstallOptions {
  readonly url?: string
  readonly keyFile?: string
  readonly user?: string
  readonly handlerUser?: string
  readonly handlers?: string
  readonly allow?: string
  readonly apps?: boolean
  readonly install?: boolean
  readonly node?: string
  readonly root?: string
  readonly dryRun?: boolean
}

/** Node.js as the packages of distributions install it: an image is installed by a Node.js outside of it. */
const NODE_OF_IMAGE = '/usr/bin/node'

/** The user that handlers of a new installation get. */
const HANDLER_USER = 'svc-apps'

/** Installs the agent as a service of systemd. */
export const installAgent: Handler<AgentInstallOptions> = async (run) => {
  const { io, options } = run
  const root = options.root === undefined ? '/' : resolve(io.cwd, options.root)
  const settings = await settingsOf(options, root)
  const { handlerOwner: owner } = settings
  const program = await agentProgram()
  demandWall(settings.firewall, owner !== undefined)
  if (settings.apps && owner === undefined) throw unwalled('--apps needs')
  if (settings.packages && !settings.apps)
    throw new Problem('invalid-input', { detail: '--install needs --apps: it is about their packages' })
  if (options.dryRun) {
    const key = 'of the key file, or of standard input'
    const files = installedFiles({ ...settings, licenseKey: key }, partsWith(program))
    const wanted = { users: usersOf(files), apps: settings.apps }
    const steps = options.root === undefined ? firstSteps(wanted) : []
    return void run.print({ files: files.map(shown), commands: steps }, () => dryRunText(files, steps))
  }
  if (options.root === undefined) {
    await demandSystemd(io.isRoot, 'install')
    await demandOpenProgram(settings.node)
    if (settings.apps) await demandNft()
  }
  const licenseKey = await keyOf(io, options, root)
  const files = installedFiles({ ...settings, licenseKey }, partsWith(program))
  const written: string[] = []
  for (const file of files) if (await place(root, file)) written.push(file.path)
  const removed =
    owner === undefined && (await removePlaced(root, PLACES.addition, false)) ? [PLACES.addition] : []
  const changed = [...written, ...removed]
  const unit = [PLACES.unit, PLACES.addition, PLACES.firewall, PLACES.apps].some((path) =>
    changed.includes(path),
  )
  const changes = { unit, any: changed.some((path) => path !== PLACES.users && path !== PLACES.folders) }
  const wanted = { users: usersOf(files), apps: settings.apps }
  const steps = options.root === undefined ? await neededSteps(wanted, changes) : []
  for (const step of steps) await mustRun(step)
  const done = { written, removed, commands: steps }
  run.print(done, () => doneText(done, options.root !== undefined))
  await sayNext(run, root, owner !== undefined)
}

async function settingsOf(
  options: AgentInstallOptions,
  root: string,
): Promise<Omit<InstallSettings, 'licenseKey'>> {
  const { url, handlers, root: image } = options
  const user = userName(options.user ?? 'svc-agent')
  if (url === undefined) {
    throw new Problem('invalid-input', { detail: 'the agent needs the address of its control plane: --url' })
  }
  return {
    url: unitUrl(url),
    user,
    node: unitPath(options.node ?? (image === undefined ? process.execPath : NODE_OF_IMAGE)),
    handlers: handlers === undefined ? undefined : unitPath(handlers),
    handlerOwner: await ownerFor(options.handlerUser, user, root),
    apps: options.apps === true || (await placedText(root, PLACES.apps)) !== undefined,
    packages: options.install === true || (await placedText(root, PLACES.packages)) !== undefined,
    firewall: allowsFirewall(options.allow) || (await placedText(root, PLACES.firewall)) !== undefined,
  }
}

/**
 * The owner of handlers: as asked for, where the agent's own user means no wall; else as it is installed. A
 * new installation gives them a user of their own, and an old one is not switched without being asked: its
 * handlers' files would belong to another user.
 */
async function ownerFor(
  asked: string | undefined,
  user: string,
  root: string,
): Promise<HandlerOwner | undefined> {
  if (asked === user) return undefined
  if (asked !== undefined) return handlerOwner(asked)
  const isInstalled = (await placedText(root, PLACES.unit)) !== undefined
  return isInstalled ? ownerIn((await placedText(root, PLACES.addition)) ?? '') : handlerOwner(HANDLER_USER)
}

/** The firewall is root's, and so is then the agent: handlers must not be. */
function demandWall(isAllowed: boolean, isWalled: boolean): void {
  if (!isAllowed || isWalled) return
  throw unwalled('an agent that may change the firewall is root, and needs')
}

const unwalled = (why: string): Problem =>
  new Problem('invalid-input', {
    detail: `${why} handlers with a user of their own: name one with --handler-user`,
  })

async function agentProgram(): Promise<string> {
  const file = oneFileAgent()
  if (file !== undefined) return readFile(file, 'utf8')
  throw new Problem('invalid-input', {
    detail:
      'this checkout holds no agent as one file: npm run pack makes svc-agent.mjs, which installs itself',
  })
}

const partsWith = (program: string) => ({
  program,
  unit: shippedText('systemd/svc-agent.service'),
  addition: shippedText('systemd/handler-user.conf'),
  firewall: shippedText('systemd/firewall.conf'),
  apps: shippedText('systemd/svc-appsd.service'),
})

/** The key of the file or of standard input; undefined when the one that stands there stays. */
async function keyOf(
  io: Io,
  { keyFile, root: image }: AgentInstallOptions,
  root: string,
): Promise<string | undefined> {
  if (keyFile !== undefined) return checkedKey(await licenseKeyIn(io, keyFile))
  const isThere = (await placedText(root, PLACES.key)) !== undefined
  if (isThere && io.inIsTty) return undefined
  const typed = (await io.readSecret('License key: ')).trim()
  if (typed !== '') return checkedKey(typed)
  if (isThere || image !== undefined) return undefined
  throw new Problem('license-key-required', {
    detail: 'the agent needs a license key: give it on standard input, or name its file with --key-file',
  })
}

const usersOf = (files: readonly InstalledFile[]): readonly string[] =>
  declaredUsers(files.find(({ path }) => path === PLACES.users)?.text ?? '')

const modeText = (mode: number): string => mode.toString(8).padStart(4, '0')

const shown = ({ path, mode, text, shownAs }: InstalledFile) => ({
  path,
  mode: modeText(mode),
  ...(shownAs === undefined ? { text } : { holds: shownAs }),
})

const indented = (text: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, '  ')

const dryRunText = (files: readonly InstalledFile[], steps: readonly Step[]): string =>
  [
    ...files.map(({ path, mode, text, shownAs }) => {
      const holds = shownAs === undefined ? indented(text) : `  (${shownAs})`
      return `write ${path} (${modeText(mode)})\n${holds}\n`
    }),
    ...steps.map((step) => `run ${step.join(' ')}\n`),
  ].join('')

/** The deeds of an installation: paths, and the commands that it ran. */
interface Done {
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly commands: readonly Step[]
}

function doneText({ written, removed, commands }: Done, isImage: boolean): string {
  if (written.length + removed.length + commands.length === 0) {
    return isImage ? 'nothing has changed\n' : 'nothing has changed: the agent is installed and runs\n'
  }
  return [
    ...written.map((path) => `wrote ${path}\n`),
    ...removed.map((path) => `removed ${path}\n`),
    ...commands.map((step) => `ran ${step.join(' ')}\n`),
  ].join('')
}

async function sayNext(run: CommandRun<AgentInstallOptions>, root: string, isWalled: boolean): Promise<void> {
  const isImage = run.options.root !== undefined
  if ((await placedText(root, PLACES.key)) === undefined) {
    run.hint(`the agent starts when ${PLACES.key} holds its license key (mode 0600)`)
  }
  if (!isWalled)
    run.hint(
      `handlers run as the user of the agent and can read its key: --handler-user ${HANDLER_USER} gives them their own`,
    )
  const missing = run.options.apps && !isImage ? missingPackages() : []
  if (missing.length > 0)
    run.hint(`applications in containers need more packages: apt-get install ${missing.join(' ')}`)
  if (!isImage) run.hint('follow its log: journalctl -u svc-agent -f')
}
