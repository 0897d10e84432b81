import { type FleetServer, shellWord } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { type FleetOptions, serversTable } from './fleet-servers.ts'

/**
 * Drains, undrains, labels or forgets a host, named by its id, hostname, label, or `fp:` and its fingerprint.
 */
export const changeHost =
  (verb: 'drain' | 'undrain' | 'label' | 'forget'): Handler<FleetOptions> =>
  async (run) => {
    const label = verb === 'label' ? run.arg(1) : undefined
    const input = given({ host: run.arg(0), license: run.options.license, label })
    const answer = await run.operate<{ server: FleetServer }>(`fleet.${verb}`, input)
    run.print(answer, (page) => serversTable([answer.server], page))
    const { hostname, id } = answer.server
    const host = hostname || id
    if (verb === 'drain') run.hint(`${host} takes no new jobs; svc fleet undrain ${shellWord(id)} lets it.`)
    if (verb === 'forget') run.hint(`${host} is off the list until its next heartbeat.`)
  }
