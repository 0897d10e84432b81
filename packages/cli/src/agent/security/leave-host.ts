import { FIREWALL_TABLE } from '@svc/core/adapters'
import { listedTable } from './firewall-table.ts'
import { hostCommand } from './host-command.ts'
import { SSHD_FILE, SYSCTL_FILE, UPDATES_FILE } from './host-files.ts'

/** The files that an agent may have written outside of its own folders. */
export const SECURITY_FILES = [SSHD_FILE, SYSCTL_FILE, UPDATES_FILE] as const

/**
 * Returns the commands that undo an agent's changes of a host beside files: its rules, and the settings that
 * sshd has read. `removesSshd`: the file of sshd is removed before they run.
 */
export async function stepsToLeave(removesSshd: boolean): Promise<readonly (readonly string[])[]> {
  const { family, name } = FIREWALL_TABLE
  const steps: (readonly string[])[] = []
  if ((await listedTable()) !== undefined) steps.push(['nft', 'delete', 'table', family, name])
  for (const unit of removesSshd ? ['ssh', 'sshd'] : []) {
    const { code } = await hostCommand('systemctl', 'is-active', '--quiet', unit)
    if (code !== 0) continue
    // The two names may be one service.
    steps.push(['systemctl', 'reload', unit])
    break
  }
  return steps
}
