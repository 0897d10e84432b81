import { writeFile } from 'node:fs/promises'
import {
  FIREWALL_CHAIN,
  FIREWALL_TABLE,
  firewallJson,
  firewallJsonOf,
  PICKUP_COMMENT,
  type SecuritySettings,
} from '@svc/core/adapters'
import { hostCommand } from './host-command.ts'

const { family, name } = FIREWALL_TABLE

type Listed = {
  readonly nftables?: readonly Readonly<Record<string, { readonly comment?: string; name?: string }>>[]
}

/** The table as nft lists it; undefined when there is none. */
export async function listedTable(): Promise<Listed | undefined> {
  const { code, stdout } = await hostCommand('nft', '-j', 'list', 'table', family, name)
  if (code !== 0) return undefined
  try {
    return JSON.parse(stdout) as Listed
  } catch {
    return undefined
  }
}

/** Whether this process can change the rules of the kernel. */
export const canChangeTables = async (): Promise<boolean> =>
  (await hostCommand('nft', '-j', 'list', 'tables')).code === 0

/** The document that restores the present rules. */
export const tableOfNow = async (): Promise<string> => firewallJsonOf(await listedTable())

/** Whether our chain is there. */
export async function hasChain(): Promise<boolean> {
  const { nftables = [] } = (await listedTable()) ?? {}
  return nftables.some(({ chain }) => chain?.name === FIREWALL_CHAIN)
}

/** Whether the rule for connections from before is there. */
export async function hasPickup(): Promise<boolean> {
  const { nftables = [] } = (await listedTable()) ?? {}
  return nftables.some(({ rule }) => rule?.comment === PICKUP_COMMENT)
}

/** Writes the ruleset of settings to a file that only root reads. nft reads no other input from Node. */
export const writeTable = (
  file: string,
  settings: SecuritySettings,
  host: { readonly sshPorts: readonly number[]; readonly pickup: boolean },
): Promise<void> => writeFile(file, firewallJson(settings, host), { mode: 0o600 })

/**
 * Gives the kernel a ruleset, after nft has checked it.
 * @throws Error with the words of nft; nothing has changed then
 */
export async function loadTable(file: string): Promise<void> {
  await checkTable(file)
  const { code, said } = await hostCommand('nft', '-j', '-f', file)
  if (code !== 0) throw new Error(`nft: ${said}`)
}

/** @throws Error with the words of nft for a ruleset that the kernel would not take */
export async function checkTable(file: string): Promise<void> {
  const { code, said } = await hostCommand('nft', '-j', '-c', '-f', file)
  if (code !== 0) throw new Error(`nft: ${said}`)
}
