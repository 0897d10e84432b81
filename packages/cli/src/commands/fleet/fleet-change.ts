import { type FleetServer, shellWord } from '@svc/core'
import { given, type Handler } from '../../program/call.ts'
import { type FleetOptions, serversTable } from './fleet-servers.ts'

/**
 * Drains, undrains, labels or forgets a host, named by its id, hostname, label, or `fp:` and its fingerprint.
 */
export const changeHost =
  (verb: 'drain' | 'undrain' | 'label' | 'forget'): Handler<FleetOptions> =>
  async (call) => {
    const label = verb === 'label' ? call.arg(1) : undefined
    const input = given({ host: call.arg(0), license: call.options.license, label })
    const answer = await call.operate<{ server: FleetServer }>(`fleet.${verb}`, input)
    call.print(answer, (page) => serversTable([answer.server], page))
    const { hostname, id } = answer.server
    const host = hostname || id
    if (verb === 'drain') call.hint(`${host} takes no new jobs; svc fleet undrain ${shellWord(id)} lets it.`)
    if (verb === 'forget') call.hint(`${host} is off the list until its next heartbeat.`)
  }
