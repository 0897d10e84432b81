import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { declaredUsers, PLACES } from '../../agent/install/installation.ts'
import { beneath, placedText, removePlaced } from '../../agent/install/placed-file.ts'
import { lastAppsSteps, lastSteps, type Step, stepsAfterRemoval } from '../../agent/install/steps.ts'
import { demandSystemd, mustRun } from '../../agent/install/systemd-host.ts'
import { SSHD_FILE } from '../../agent/security/host-files.ts'
import { SECURITY_FILES, stepsToLeave } from '../../agent/security/leave-host.ts'
import { type AppsLeft, appsLeft } from '../../host-apps/system/leave-apps.ts'
import type { Handler } from '../../program/command-run.ts'

/** Flags of `svc agent uninstall`. */
export interface AgentUninstallOptions {
  readonly purge?: boolean
  readonly root?: string
  readonly dryRun?: boolean
}

const ALWAYS = [
  PLACES.unit,
  PLACES.firewall,
  PLACES.addition,
  PLACES.apps,
  PLACES.packages,
  PLACES.program,
  PLACES.key,
]
const NO_APPS: AppsLeft = { before: [], files: [], folders: [], after: [] }
const DECLARATIONS = [PLACES.users, PLACES.folders]
// Folders of the system stay, even when nothing else is in them.
const IN_FOLDERS_OF_SYSTEM: readonly string[] = [PLACES.unit, PLACES.apps, ...DECLARATIONS, ...SECURITY_FILES]

/**
 * Removes everything that `svc agent install` has made. Applications, identity, users, and the firewall and
 * hardening of the host stay without `--purge`.
 */
export const uninstallAgent: Handler<AgentUninstallOptions> = async (run) => {
  const { io, options } = run
  const isImage = options.root !== undefined
  const root = options.root === undefined ? '/' : resolve(io.cwd, options.root)
  const users = options.purge ? declaredUsers((await placedText(root, PLACES.users)) ?? '') : []
  const isInstalled = (await placedText(root, PLACES.unit)) !== undefined
  const apps = options.purge && !isImage ? await appsLeft() : NO_APPS
  const keepsApps = (await placedText(root, PLACES.apps)) !== undefined
  const before = isImage
    ? []
    : [...(isInstalled ? lastSteps : []), ...(keepsApps ? lastAppsSteps : []), ...apps.before]
  const left = options.purge && !isImage ? await stepsToLeave(existsSync(SSHD_FILE)) : []
  const isThere = isInstalled || users.length > 0
  const after = [...left, ...apps.after, ...(isImage || !isThere ? [] : stepsAfterRemoval(users))]
  const files = options.purge ? [...ALWAYS, ...DECLARATIONS, ...SECURITY_FILES, ...apps.files] : ALWAYS
  const homes = users.length > 1 ? [PLACES.handlerHome] : []
  const folders = options.purge ? [PLACES.state, ...homes, ...apps.folders] : []
  if (options.dryRun) {
    const plan = { removes: [...files, ...folders], commands: [...before, ...after] }
    return void run.print(plan, () => planText(before, plan.removes, after))
  }
  if (!isImage) await demandSystemd(io.isRoot, 'uninstall')
  for (const step of before) await mustRun(step)
  const removed: string[] = []
  for (const path of files) {
    if (await removePlaced(root, path, IN_FOLDERS_OF_SYSTEM.includes(path) || apps.files.includes(path)))
      removed.push(path)
  }
  for (const folder of folders) await rm(beneath(root, folder), { recursive: true, force: true })
  for (const step of after) await mustRun(step)
  run.print({ removed, commands: [...before, ...after] }, () => doneText(removed))
  if (!options.purge && removed.length > 0) {
    run.hint(`${PLACES.state} with its applications and the users stay: --purge removes them too`)
  }
}

const planText = (before: readonly Step[], removes: readonly string[], after: readonly Step[]): string =>
  [
    ...before.map((step) => `run ${step.join(' ')}\n`),
    ...removes.map((path) => `remove ${path}\n`),
    ...after.map((step) => `run ${step.join(' ')}\n`),
  ].join('')

const doneText = (removed: readonly string[]): string =>
  removed.length === 0
    ? 'nothing has changed: the agent is not installed\n'
    : removed.map((path) => `removed ${path}\n`).join('')
