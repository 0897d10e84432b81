import { loopVariant } from '../loop-variant.ts'
import type { SignaturesOptions } from '../parts/signatures.ts'
import type { Scenario, Variant } from '../scenario.ts'

const SVC = 'svc, a whole refresh'
const NACL = 'tweetnacl, the signature alone'

const signatures = (name: string, way: SignaturesOptions['way']): Variant =>
  loopVariant({
    name,
    request: { workers: 1 },
    start: async (bench) => ({ part: await bench.part('signatures', { way } satisfies SignaturesOptions) }),
  })

/** Each heartbeat is answered with a signature. */
export const signature: Scenario = {
  name: 'signature',
  question: 'Signing a refresh as the product does, against tweetnacl',
  variants: [signatures(NACL, 'tweetnacl'), signatures(SVC, 'svc')],
  baseline: NACL,
  gates: [{ goal: 'signature', figure: 'perSecond', of: SVC, over: NACL, atLeast: 100 }],
}
