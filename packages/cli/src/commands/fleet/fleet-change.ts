import type { FleetServer } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'
import { type FleetOptions, serversTable } from './fleet-servers.ts'

/**
 * Drains, undrains, labels or forgets a host, named by its id, hostname, label, or `fp:` and its fingerprint.
 */
export const changeHost =
  (verb: 'drain' | 'undrain' | 'label' | 'forget'): Handler<FleetOptions> =>
  async (run) => {
    const label = verb === 'label' ? run.arg(1) : undefined
    const { license, force } = run.options
    const input = given({ host: run.arg(0), license, force, label })
    const answer = await run.operate<{ server: FleetServer }>(`fleet.${verb}`, input)
    run.print(answer, (page) => serversTable([answer.server], page))
    const { hostname, id } = answer.server
    const host = hostname || id
    const words = [id, ...(license === undefined ? [] : ['--license', license])].map(shellWord).join(' ')
    if (verb === 'drain') run.hint(`${host} takes no new jobs; svc fleet undrain ${words} lets it.`)
    if (verb === 'forget')
      run.hint(`${host} is off the list. With a heartbeat it would be back as a new host.`)
  }

/** Forgets the key of a host. */
export const resetKey: Handler<FleetOptions> = async (run) => {
  const input = given({ host: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ host: { id: string; hostname: string } }>('fleet.reset-key', input)
  const { id, hostname } = answer.host
  run.print(answer, () => `the key of ${plain(hostname || id)} is forgotten\n`)
  run.hint('The next key that the host shows is kept: see that it is the host itself.')
}
