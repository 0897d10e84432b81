import { alertFactsStoreContract } from '@svc/testing/contracts'
import { onEveryStorage } from '../../../platform/storage/backends.ts'

onEveryStorage(alertFactsStoreContract)
