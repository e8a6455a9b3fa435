import { realtimeText } from './llmsText.ts'
import { type DescribedService, type JsonObject, TITLE } from './openApi.ts'

/*
 * The documentation for people: Swagger UI shows what OpenAPI describes, and a page of our own the messages, which Swagger UI can't show.
 * Both load only files of this service, by relative URLs, so that they work below a path prefix and without a network.
 */

export const DOCS_PAGE = page(
  `${TITLE}: documentation`,
  `<link rel="stylesheet" href="docs/renderer.css">
<script src="docs/renderer.js" defer></script>
<script src="docs/page.js" defer></script>
<link rel="stylesheet" href="docs/page.css">`,
  `<nav><a href="docs/messages">Messages of the WebSocket and of event streams</a> <a href="openapi.json">OpenAPI 3.1</a>
<a href="asyncapi.json">AsyncAPI 3.0</a> <a href="llms.txt">llms.txt</a></nav>
<div id="paths"></div>`,
)

/** The rules of updates, all messages field by field, and the close codes. */
export function messagesPage(service: DescribedService, asyncApi: JsonObject): string {
  return page(
    `${TITLE}: messages`,
    '<link rel="stylesheet" href="page.css">',
    `<nav><a href="../docs">Documentation</a> <a href="../asyncapi.json">AsyncAPI 3.0</a></nav>
<main><h1>Messages of the WebSocket and of event streams</h1>\n${toHtml(realtimeText(service, asyncApi))}</main>`,
  )
}

/** Starts Swagger UI. It asks no other host: it has no validator, and the document is this service's. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#paths',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

export const DOCS_STYLE = `body { margin: 0; font: 16px / 1.5 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: 1rem; }
main { max-width: 60rem; margin: auto; padding: 0 1rem 4rem; overflow-wrap: anywhere; }
code { font: 0.9em ui-monospace, monospace; }
h3 { padding-top: 1rem; border-top: 1px solid #d5dae2; }
.swagger-ui table.parameters td, .swagger-ui table.parameters th { overflow-wrap: anywhere; }
`

function page(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** The HTML of our own Markdown: headings, lists whose items have a line each, paragraphs, and code in backticks. */
function toHtml(markdown: readonly string[]): string {
  return markdown
    .join('\n')
    .split(/\n{2,}/)
    .map(block => {
      const [, marks, heading] = /^(#+) (.*)$/.exec(block) ?? []
      if (marks !== undefined && heading !== undefined) return `<h${marks.length}>${inline(heading)}</h${marks.length}>`
      if (!block.startsWith('- ')) return `<p>${inline(block)}</p>`
      return `<ul>${block
        .split('\n')
        .map(line => `<li>${inline(line.slice(2))}</li>`)
        .join('')}</ul>`
    })
    .join('\n')
}

function inline(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  return escaped.replace(/`([^`]+)`/g, '<code>$1</code>')
}
