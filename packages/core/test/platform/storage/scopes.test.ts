import { scopesContract } from '@svc/testing/contracts'
import { onEveryStorage } from './backends.ts'

onEveryStorage(scopesContract)
