// Callers who come at once, in the order that PROPERTY_SEED decides: none is told what another asked.
import { crowdsContract } from '@svc/testing/contracts'
import fc from 'fast-check'
import { onEveryStorage } from './backends.ts'

const [drawn = 0] = fc.sample(fc.integer(), 1)
const { seed = drawn } = fc.readConfigureGlobal() ?? {}

onEveryStorage((name, open) => crowdsContract(name, open, seed))
