import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../state/durable-file.ts'
import { hostCommand } from './host-command.ts'
import type { HostFile } from './host-files.ts'
import { onHost, type SecurityHost } from './security-host.ts'
import { undoScript } from './undo-script.ts'

/** A document as a host applies it. */
export interface SecurityDocument {
  readonly revision: number
  readonly sha256: string
  /** As it came: it is read before each use. */
  readonly settings: unknown
  /** Whether somebody said that nobody needs to reach ssh. */
  readonly force: boolean
}

/** The facts of an attempt that outlive its agent. */
export interface AttemptMarker extends SecurityDocument {
  /** The job that asked for it; absent: the agent did. */
  readonly job?: { readonly id: string; readonly attempt: number } | undefined
  /** Unix seconds of the time when it is undone, unless it was confirmed. */
  readonly deadline: number
}

/** Everything that an undo of the attempt puts back. */
export interface AttemptPlan {
  readonly marker: AttemptMarker
  /** The ruleset of before, as nft takes it. */
  readonly table: string
  readonly files: readonly HostFile[]
  /** The values of the kernel of before; undefined when they are not changed. */
  readonly sysctl: string | undefined
  readonly hasSystemd: boolean
}

type Stage = 'pending' | 'rolling' | 'undone' | 'kept'

const FOLDER = /^([0-9a-f-]{36})\.(draft|pending|rolling|undone|kept)$/

/** One attempt to apply a document: a folder whose name says how far it is. */
export class Attempt {
  readonly #folder: string
  readonly #name: string
  readonly marker: AttemptMarker

  private constructor(folder: string, name: string, marker: AttemptMarker) {
    this.#folder = folder
    this.#name = name
    this.marker = marker
  }

  /** Writes down how to undo an attempt, before anything is changed. */
  static async begin(host: SecurityHost, plan: AttemptPlan): Promise<Attempt> {
    const attempt = new Attempt(host.folder, randomUUID(), plan.marker)
    const draft = join(host.folder, `${attempt.#name}.draft`)
    await mkdir(join(draft, 'previous'), { recursive: true, mode: 0o700 })
    for (const [index, { path }] of plan.files.entries()) {
      await copyFile(onHost(host, path), join(draft, 'previous', String(index))).catch(ifAbsent)
    }
    await writeFile(join(draft, 'table.json'), plan.table, { mode: 0o600 })
    if (plan.sysctl !== undefined) await writeFile(join(draft, 'sysctl.conf'), plan.sysctl, { mode: 0o600 })
    const script = undoScript({ ...plan, root: host.root, setsSysctl: plan.sysctl !== undefined })
    await writeFile(join(draft, 'undo.sh'), script, { mode: 0o600 })
    await writeDurably(join(draft, 'marker.json'), JSON.stringify(plan.marker))
    await rename(draft, attempt.path('pending'))
    return attempt
  }

  /** The attempts that an earlier agent left behind, by how far they are. Drafts changed nothing, and go. */
  static async left(host: SecurityHost): Promise<readonly { stage: Stage; attempt: Attempt }[]> {
    const names = await readdir(host.folder).catch(() => [])
    const found: { stage: Stage; attempt: Attempt }[] = []
    for (const name of names) {
      const [, id = '', stage = ''] = FOLDER.exec(name) ?? []
      const marker = id === '' ? undefined : await readMarker(join(host.folder, name))
      if (marker !== undefined && stage !== 'draft')
        found.push({ stage: stage as Stage, attempt: new Attempt(host.folder, id, marker) })
      else if (id !== '') await rm(join(host.folder, name), { recursive: true, force: true })
    }
    return found
  }

  /** The folder of the attempt at a stage. */
  path(stage: Stage): string {
    return join(this.#folder, `${this.#name}.${stage}`)
  }

  /** A further file of the attempt while it is pending. */
  file(name: string): string {
    return join(this.path('pending'), name)
  }

  /** Ends the attempt for good, unless somebody undoes it already. Returns whether it did. */
  async keep(): Promise<boolean> {
    return rename(this.path('pending'), this.path('kept')).then(
      () => true,
      () => false,
    )
  }

  /**
   * Puts everything back, also if another process has begun to. Undefined when it is as before; else the
   * error, and the next start of the agent tries again.
   */
  async undo(): Promise<string | undefined> {
    for (const stage of ['pending', 'rolling'] as const) {
      const { code, said } = await hostCommand('sh', join(this.path(stage), 'undo.sh'))
      if (await this.#isUndone()) return undefined
      if (stage === 'rolling') return said || `exit code ${code}`
    }
    return undefined
  }

  /** Forgets the attempt. */
  async forget(): Promise<void> {
    for (const stage of ['kept', 'undone', 'pending'] as const)
      await rm(this.path(stage), { recursive: true, force: true })
  }

  async #isUndone(): Promise<boolean> {
    return (await readMarker(this.path('undone'))) !== undefined
  }
}

async function readMarker(folder: string): Promise<AttemptMarker | undefined> {
  try {
    const marker = JSON.parse(await readFile(join(folder, 'marker.json'), 'utf8')) as Partial<AttemptMarker>
    return typeof marker.revision === 'number' ? (marker as AttemptMarker) : undefined
  } catch {
    return undefined
  }
}

function ifAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
