// Concurrent callers, in an order that PROPERTY_SEED decides: no caller gets another's answer.
import { crowdsContract } from '@svc/testing/contracts'
import fc from 'fast-check'
import { onEveryStorage } from './backends.ts'

const [drawn = 0] = fc.sample(fc.integer(), 1)
const { seed = drawn } = fc.readConfigureGlobal() ?? {}

onEveryStorage((name, open) => crowdsContract(name, open, seed))
