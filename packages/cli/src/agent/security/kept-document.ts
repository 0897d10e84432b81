import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../state/durable-file.ts'
import type { SecurityDocument } from './attempt.ts'
import type { SecurityHost } from './security-host.ts'

/** The document that this host applied last and that was confirmed. */
export interface KeptDocument extends SecurityDocument {
  /** Unix seconds until which connections from before the firewall go on. */
  readonly pickupUntil: number
}

const fileOf = ({ folder }: SecurityHost): string => join(folder, 'security.json')

/** Keeps the document for the next start, mode 0600. */
export const keepDocument = (host: SecurityHost, document: KeptDocument): Promise<void> =>
  writeDurably(fileOf(host), JSON.stringify(document))

/** Returns the document; undefined when there is none. */
export async function keptDocument(host: SecurityHost): Promise<KeptDocument | undefined> {
  try {
    const kept = JSON.parse(await readFile(fileOf(host), 'utf8')) as Partial<KeptDocument>
    return typeof kept.revision === 'number' ? (kept as KeptDocument) : undefined
  } catch {
    return undefined
  }
}
