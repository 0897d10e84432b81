import { appsStoreContract } from '@svc/testing/contracts'
import { onEveryStorage } from '../../platform/storage/backends.ts'

onEveryStorage(appsStoreContract)
