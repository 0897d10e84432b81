import { shellWord } from '@svc/core/client'
import type { Io } from '../../terminal/io.ts'
import { paint } from '../../terminal/terminal.ts'
import { type GitSource, SAMPLE_APP } from './sample-app.ts'

/** Facts that the welcome names. */
export interface WelcomeParts {
  readonly url: string
  readonly key: string
  readonly license: string
  /** Value of `--data-dir` for other commands; undefined when they need none. */
  readonly dataDir: string | undefined
  /** The port of the front of applications; undefined when none can run. */
  readonly front: number | undefined
  /** The one-time code of the first administrator; undefined once there is one. */
  readonly firstCode: string | undefined
  /** The sample application; undefined without git. */
  readonly source: GitSource | undefined
}

/**
 * Returns the text that `svc up` prints when everything runs: the address, the license key and commands to
 * try next.
 */
export function welcome({ programName, out, env }: Io, parts: WelcomeParts): string {
  const { url, key, license, dataDir, source, front, firstCode } = parts
  const isTinted = out.isTty && !env.NO_COLOR
  const bold = (text: string) => (isTinted ? paint(text, 'bold') : text)
  const folder = dataDir === undefined ? [] : ['--data-dir', dataDir]
  const command = (...words: readonly string[]) =>
    [programName, ...[...words, ...folder].map(shellWord)].join(' ')
  const work =
    source === undefined
      ? command('jobs', 'enqueue', 'prune', '--license', license, '--follow')
      : command('apps', 'deploy', SAMPLE_APP, '--sha', source.sha, '--follow')
  return `
${bold('svc is up')}

  address      ${url}
  license key  ${key}

${bold('Try next, in another terminal')}

  ${source === undefined ? 'Tidy up on this machine (without git, and in production, there is no deploy to try):' : 'Deploy the sample app to this machine and follow it:'}
    ${work}
${source === undefined || front === undefined ? '' : `\n  Then open it:\n    http://${SAMPLE_APP}.localhost:${front}\n`}
  List the fleet:
    ${command('fleet', 'servers')}

  Look at it in a browser:
    ${url}/console
${firstCode === undefined ? '' : `    ${firstCode}  makes your account there, within 15 minutes;\n    ${command('users', 'first-code')}  prints another one\n`}
  Ask whether it is healthy:
    curl ${url}/healthz

Ctrl-C ends it; everything is kept for the next time.
`
}
