import { Migration } from '@mikro-orm/migrations'

/** Tokens that neither showed nor waited for the document of their URI, because it was read during their launch, wait for it. */
export class Migration0025ShownDocuments extends Migration {
  override up(): void {
    this.addSql(`insert into metadata_waiting (key, token)
      select metadata.key, token.address
      from token join metadata on metadata.key = sha256(convert_to(token.metadata_uri, 'UTF8'))
      where metadata.state in ('read', 'announced')
        and (token.image_url, token.description) is distinct from (metadata.image_url, metadata.description)
      on conflict (key, token) do nothing`)
    this.addSql(`update metadata set state = 'read'
      where state = 'announced' and exists (select from metadata_waiting where metadata_waiting.key = metadata.key)`)
  }
}
