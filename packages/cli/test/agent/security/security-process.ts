// The security of a host in a process of its own, so that it can run in a network namespace and be killed:
// `node security-process.ts <options as JSON>`. It follows orders over its channel, and the control plane
// counts as reached while the file `reached` is there.
import { existsSync, readlinkSync } from 'node:fs'
import { silentLog, systemClock } from '@svc/core'
import { HostSecurity } from '../../../src/agent/security/host-security.ts'

const { stateDir, root, reached, machine } = JSON.parse(process.argv[2] ?? '')

// The rules of the machine that runs the tests are nobody's business here.
if (readlinkSync('/proc/self/ns/net') === machine) throw new Error('not in a namespace')

const confirm = async () => (existsSync(reached) ? undefined : 'nobody answers')
const security = new HostSecurity({ stateDir, root, confirm, clock: systemClock, log: silentLog })
const stopped = new AbortController()

const does: Record<string, (given: never) => Promise<unknown>> = {
  apply: async (asked) => {
    const said: string[] = []
    return { end: await security.apply(asked, (line) => said.push(line), stopped.signal), said }
  },
  stop: async () => stopped.abort(),
  recover: async () => (await security.recover()).map(({ marker }) => marker.revision),
  restore: () => security.restore(),
  tend: () => security.tend(),
}

process.on('message', async ({ id, what, given }: { id: number; what: string; given: never }) => {
  const said = await does[what]?.(given).catch((error: Error) => ({ thrown: error.message }))
  process.send?.({ id, said })
})
process.on('disconnect', () => process.exit())
process.send?.({ id: 0 })
