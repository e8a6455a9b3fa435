import { defineEntity } from '@mikro-orm/core'
import { column } from './columns.ts'

/** A token that has no copy yet of the document behind its metadata URI. */
export const MetadataWaitingEntity = defineEntity({
  name: 'MetadataWaiting',
  tableName: 'metadata_waiting',
  properties: {
    key: column.hex().primary(),
    token: column.address().primary(),
  },
})
