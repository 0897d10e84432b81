import { globSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { blockOf } from '../docs/page.ts'
import type { BootedMachine, Ran } from './booted-machine.ts'

const PAGE = 'docs/deployment.md'
const UNIT = '/etc/systemd/system/svc.service'
/** Time for its start, beside other machines. */
const START_MS = 120_000
const DESK_MS = 120_000
const MODULES = '/opt/svc/node_modules'
const SVC = `${MODULES}/.bin/svc`

/** A license of the plane, and its key. */
export interface IssuedLicense {
  readonly license: { readonly id: string }
  readonly key: string
}

/** Folders of the checkout that stand on the machine of a plane: its dependencies with files of their own. */
export function dependenciesOfPlane(checkout: string): Readonly<Record<string, string>> {
  const from = join(checkout, 'node_modules/@electric-sql')
  // In a copy of the checkout a package is a link, to a place that the unit of the plane does not see.
  const real = (name: string) => [`${MODULES}/@electric-sql/${name}`, realpathSync(join(from, name))]
  return Object.fromEntries(readdirSync(from).map(real))
}

/** The plane as docs/deployment.md installs it on a machine with systemd, without PostgreSQL. */
export class InstalledPlane {
  readonly #machine: BootedMachine

  /** Follows the page, with the secrets of a plane without PostgreSQL, but does not start the service. */
  constructor(machine: BootedMachine, packed: string) {
    this.#machine = machine
    const [tarball = ''] = globSync('svc-cli-*.tgz', { cwd: packed })
    const cli = `${MODULES}/@svc/cli`
    machine.sh(`mkdir -p ${cli} ${MODULES}/.bin && ln -s ../@svc/cli/bin/svc.js ${SVC}`)
    machine.sh(`tar -xz --strip-components=1 -C ${cli}`, readFileSync(join(packed, tarball)))
    machine.write(UNIT, blockOf(PAGE, `# ${UNIT}\n`))
    const credentials = blockOf(PAGE, `# ${UNIT}.d/credentials.conf`)
    machine.write(
      `${UNIT}.d/credentials.conf`,
      credentials.replace(/^LoadCredential=database.*\n/m, '').replace('DATABASE_URL_FILE=%d/database ', ''),
    )
    const [users = ''] = blockOf(PAGE, 'useradd --system ').split('\nsystemctl ')
    machine.sh(users)
    machine.sh(`umask 077
      ${SVC} mint-key --json | sed -n 's/.*"private_key": *"\\([^"]*\\)".*/\\1/p' > /etc/svc/signing
      head -c 24 /dev/urandom | base64 > /etc/svc/sessions
      echo SERVICE_PUBLIC_URL=http://127.0.0.1:8080 > /etc/svc/env`)
  }

  /** Starts it as the page does, and waits until it serves. */
  start(): void {
    const look = `fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`
    const begin = `systemctl enable --quiet --now svc
      until node -e "${look}"; do systemctl -q is-active svc; done`
    this.#machine.sh(begin, '', START_MS)
  }

  /** Runs a command of operators, as the page does. */
  svc(...args: readonly string[]): Ran {
    return this.svcWith('', ...args)
  }

  /** Runs one that reads this from its standard input. */
  svcWith(input: string, ...args: readonly string[]): Ran {
    const command = ['runuser', '-u', 'svc', '--', SVC, ...args, '--data-dir', '/var/lib/svc']
    return this.#machine.run(command, input)
  }

  /** Runs one in a folder, as at a desk. It may wait for jobs. */
  svcIn(folder: string, ...args: readonly string[]): Ran {
    const command = ['env', '-C', folder, 'runuser', '-u', 'svc', '--', SVC, ...args]
    return this.#machine.run([...command, '--data-dir', '/var/lib/svc'], '', DESK_MS)
  }

  /** Runs one with `--json` and reads its document. */
  json<D>(...args: readonly string[]): D {
    const { code, out, err } = this.svc(...args, '--json')
    if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`)
    return JSON.parse(out) as D
  }
}
