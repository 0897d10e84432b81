import { join } from 'node:path'
import { HostedMachine } from '../../../test/packed/hosted-machine.ts'
import type { Bench } from '../bench.ts'
import { type Running, type Scenario, Skipped } from '../scenario.ts'

const VARIANT = 'svc-agent and svc-appsd, with 50 applications'
const APPS = 50
const GOAL_MIB = 70
const SECONDS = 30

/** A program that costs next to nothing: the agent is measured, not the applications. */
const SVC = JSON.stringify({
  version: 1,
  processes: { web: { command: 'exec busybox httpd -f -p 127.0.0.1:$PORT -h .' } },
  stop: { grace_s: 1 },
})

async function start(bench: Bench): Promise<Running> {
  process.env.SVC_TEST_PACKED = join(await bench.folder(), 'packed')
  const machine = await HostedMachine.boot(['nft', 'git', 'busybox'])
  if (typeof machine === 'string') throw new Skipped(machine)
  const stop = () => machine[Symbol.asyncDispose]()
  try {
    const host = await HostedMachine.install(machine)
    const sha = host.commit('app', { 'index.html': 'a page', 'svc.json': SVC })
    const source = { type: 'git', repo_url: 'file:///srv/app', sha }
    for (let number = 1; number <= (bench.isSmall ? 2 : APPS); number += 1) {
      const { log, state } = host.job('deploy', { app: `app-${number}`, source })
      if (state !== 'succeeded') throw new Error(`app-${number} ${state}: ${log}`)
    }
    const residentMib = (unit: string): number => {
      const kib = machine.sh(
        `awk '/^VmRSS/ { print $2 }' "/proc/$(systemctl show --value -p MainPID ${unit})/status"`,
      )
      return Number(kib) / 1024
    }
    return {
      // Some heartbeats and looks at the applications: memory that is used but now and then is in it.
      work: async (seconds) => {
        machine.sh(`sleep ${Math.min(seconds, 25)}`)
        const figures = { agentMib: residentMib('svc-agent'), appsdMib: residentMib('svc-appsd') }
        return { operations: 1, seconds, figures }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** How much memory the agent of a server takes that runs many applications. */
export const appsAgent: Scenario = {
  name: 'apps-agent',
  question: 'Resident memory of the agent of a server that runs 50 applications',
  variants: [{ name: VARIANT, start }],
  baseline: VARIANT,
  seconds: SECONDS,
  rounds: 3,
  gates: [{ goal: 'apps-agent', figure: 'agentMib', of: VARIANT, atMost: GOAL_MIB }],
}
