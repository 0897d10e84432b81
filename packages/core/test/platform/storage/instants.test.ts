import { instantsContract } from '@svc/testing/contracts'
import { onEveryStorage } from './backends.ts'

onEveryStorage(instantsContract)
