// `npm run audit`: asks the registry for known vulnerabilities in the packages that ship. Exit code 1 if one
// is of severity high or critical, or if npm cannot audit at all; 0 if there is none, and, with a line that
// says so, if the registry offers no audit or cannot be reached. Further arguments go to npm: `npm run audit
// -- --registry http://127.0.0.1:4873`.
import { execFile } from 'node:child_process'

const AUDIT = [
  'audit',
  '--omit=dev',
  '--audit-level=high',
  '--json',
  '--fetch-retries=0',
  '--fetch-timeout=30000',
]
const PATIENCE_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024

/** Output of `npm audit --json`: a report, or the reason why there is none. */
interface Printed {
  readonly auditReportVersion?: number
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly via: readonly unknown[] }>
  >
  readonly message?: string
  readonly statusCode?: number
}

const GRAVE = ['high', 'critical']

function linesOf({ vulnerabilities = {} }: Printed): readonly string[] {
  return Object.entries(vulnerabilities)
    .filter(([, { severity }]) => GRAVE.includes(severity))
    .map(([name, { severity, via }]) => {
      const reasons = via.map((each) => {
        if (typeof each === 'string') return `through ${each}`
        const { title = 'untitled', url = '' } = each as { title?: string; url?: string }
        return `${title} ${url}`.trim()
      })
      return `${severity}: ${name}: ${reasons.join('; ')}`
    })
}

/** Whether the registry refused or could not be reached, so that neither the lock nor npm is at fault. */
const isUnanswered = ({ message = '', statusCode }: Printed): boolean =>
  statusCode !== undefined || /^request to \S+ failed, reason: |^network /i.test(message)

function judged(output: string): { readonly code: number; readonly lines: readonly string[] } {
  let printed: Printed
  try {
    printed = JSON.parse(output) as Printed
  } catch {
    return { code: 1, lines: ['npm audit has printed no report'] }
  }
  if (printed.auditReportVersion !== undefined) {
    const holes = linesOf(printed)
    return {
      code: holes.length > 0 ? 1 : 0,
      lines: holes.length > 0 ? holes : ['no known hole of severity high or critical in what ships'],
    }
  }
  const why = printed.message ?? 'no reason'
  return isUnanswered(printed)
    ? { code: 0, lines: [`the registry offers no audit: dependencies are not checked here (${why})`] }
    : { code: 1, lines: [`npm audit failed: ${why}`] }
}

const options = { timeout: PATIENCE_MS, maxBuffer: MAX_BYTES }
execFile('npm', [...AUDIT, ...process.argv.slice(2)], options, (error, output) => {
  const { code, lines } = error?.killed
    ? { code: 0, lines: ['the registry offers no audit: dependencies are not checked here (no answer)'] }
    : judged(output)
  for (const line of lines) process.stdout.write(`${line}\n`)
  process.exitCode = code
})
