import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SOURCES } from '../../packages/cli/test/support/svc-process.ts'

type Variables = Readonly<Record<string, string>>

/** Result of a text of a page. */
export interface Followed {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Somebody who follows a page: a home of their own, with the `svc` of this checkout on the path. */
export class Reader implements Disposable {
  readonly folder: string

  constructor(page: string) {
    this.folder = mkdtempSync(join(tmpdir(), `svc-docs-${page}-`))
    this.command('bin/svc')
  }

  /** Makes an `svc` at a path in the home, which adds `more` arguments to all of its own. */
  command(path: string, more = ''): void {
    const place = join(this.folder, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, `#!/bin/sh\nexec ${process.execPath} ${SOURCES.join(' ')} "$@" ${more}\n`)
    chmodSync(place, 0o755)
  }

  /** The reader's variables. */
  get env(): Variables {
    return { PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`, HOME: this.folder }
  }

  /** Runs a text of the page in the home by bash, up to the first command that fails. */
  try(text: string, more: Variables = {}): Promise<Followed> {
    const options = { cwd: this.folder, env: { ...this.env, ...more } }
    return new Promise((resolve) => {
      execFile('bash', ['-e', '-o', 'pipefail', '-c', text], options, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      )
    })
  }

  /** The same for a text that succeeds. */
  async follow(text: string, more: Variables = {}): Promise<Followed> {
    const followed = await this.try(text, more)
    if (followed.code !== 0) throw new Error(`exit code ${followed.code}\n${followed.out}\n${followed.err}`)
    return followed
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
