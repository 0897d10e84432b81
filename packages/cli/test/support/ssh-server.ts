import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../test/support/free-port.ts'

const SSHD = '/usr/sbin/sshd'

/** Whether an SSH server is installed here. */
export const hasSshServer = existsSync(SSHD)

/** A real SSH server of this machine, and the options for OpenSSH's clients to sign in to it. */
export interface SshServer extends AsyncDisposable {
  readonly port: number
  readonly user: string
  readonly options: readonly string[]
}

/** Starts an SSH server for the user of this test, with keys of its own in `folder`. */
export async function sshServer(folder: string): Promise<SshServer> {
  const port = await freePort()
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
  const config = join(folder, 'sshd_config')
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${folder}/host`, 'UsePAM no', 'StrictModes no'],
    ...[`AuthorizedKeysFile ${folder}/user.pub`, 'PermitRootLogin yes', 'PidFile none', 'MaxStartups 200'],
    'Subsystem sftp internal-sftp',
    // Bash reads the profile of a home for each command that it runs for a server of ssh.
    `SetEnv HOME=${folder}`,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (text: Buffer) => text.toString().includes('listening') && resolve())
    server.once('exit', (code) => reject(new Error(`sshd ended with ${code}`)))
  })
  const quiet = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ]
  return {
    port,
    user: userInfo().username,
    options: ['-i', join(folder, 'user'), ...quiet.flatMap((option) => ['-o', option])],
    [Symbol.asyncDispose]: async () => {
      const gone = new Promise((resolve) => server.once('close', resolve))
      server.kill()
      await gone
    },
  }
}
