import { examineHost } from '../../agent/install/host-checks.ts'
import { demandSystemd } from '../../agent/install/systemd-host.ts'
import type { Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { table } from '../../terminal/render.ts'
import type { Colour } from '../../terminal/terminal.ts'

const COLOURS: Readonly<Record<string, Colour>> = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'dim' }

/** Says which parts of this host are there, which are missing, and what brings them. */
export const examineAgentHost: Handler<object> = async (run): Promise<ExitCode> => {
  await demandSystemd(run.io.isRoot, 'doctor')
  const checks = await examineHost()
  const isWell = checks.every(({ status }) => status !== 'fail')
  run.print({ ok: isWell, checks }, (page) =>
    table(
      [
        { title: 'CHECK', text: ({ name }) => name },
        {
          title: 'STATUS',
          text: ({ status }) => status,
          colour: ({ status }) => COLOURS[status] ?? 'yellow',
        },
        { title: 'WHAT IT MEANS', text: ({ meaning }) => meaning },
      ],
      checks,
      page,
    ),
  )
  return isWell ? EXIT.done : EXIT.failed
}
