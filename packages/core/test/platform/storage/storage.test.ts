import { storageContract } from '@svc/testing/contracts'
import { onEveryStorage } from './backends.ts'

onEveryStorage(storageContract)
