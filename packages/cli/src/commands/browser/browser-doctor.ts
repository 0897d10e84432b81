import { readConfig } from '@svc/core'
import { chromiumLack } from '../../browser/chromium-program.ts'
import type { Finding } from '../../browser/leak-test.ts'
import type { Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { type Page, table } from '../../terminal/render.ts'

const findingsTable = (findings: readonly Finding[], page: Page): string =>
  table(
    [
      {
        title: 'CHECK',
        text: ({ check }) => check,
      },
      {
        title: 'STATUS',
        text: ({ ok }) => (ok ? 'ok' : 'fail'),
        colour: ({ ok }) => (ok ? 'green' : 'red'),
      },
      { title: 'WHAT IT MEANS', text: ({ detail }) => detail },
    ],
    findings,
    page,
  )

/** Starts the browser of this machine, and lets a page try every way past the proxy. */
export const browserDoctor: Handler<object> = async (run) => {
  const config = readConfig(run.io.env)
  const lack = chromiumLack(config)
  const findings =
    lack === undefined
      ? await (await import('../../browser/leak-test.ts')).leakTest(config)
      : [{ check: 'chromium', ok: false, detail: lack }]
  run.print({ ok: findings.every(({ ok }) => ok), checks: findings }, (page) => findingsTable(findings, page))
  return findings.every(({ ok }) => ok) ? EXIT.done : EXIT.failed
}
