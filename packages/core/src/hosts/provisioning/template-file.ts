import { readFile, stat } from 'node:fs/promises'
import { MAX_USER_DATA_BYTES, templateFaults } from './template.ts'

/** The template of user data, or its fault. */
export type TemplateReading =
  | { readonly text: string; readonly faults: readonly [] }
  | { readonly text: undefined; readonly faults: readonly string[] }

const bad = (fault: string): TemplateReading => ({ text: undefined, faults: [fault] })

/** Reads and checks a template. A fault never quotes the file. */
export async function readTemplate(path: string | undefined): Promise<TemplateReading> {
  if (path === undefined) return bad('PROVISIONING_TEMPLATE_FILE is not set')
  try {
    const { size } = await stat(path)
    if (size > MAX_USER_DATA_BYTES) return bad(`longer than ${MAX_USER_DATA_BYTES} bytes`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
    const faults = templateFaults(text)
    return faults.length === 0 ? { text, faults: [] } : { text: undefined, faults }
  } catch (error) {
    const { code } = error as { code?: unknown }
    return bad(typeof code === 'string' ? `cannot be read: ${code}` : 'is not UTF-8')
  }
}
