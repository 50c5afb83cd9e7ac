const firstQuery = `# Fill in your key under "Headers" below,
# then press the button to the right.
query StoresAndMenus {
  stores(limit: 3) {
    id
    name
    timezone
    merchant {
      brandName
    }
    menus {
      name {
        text(languages: ["en"])
      }
      categories {
        name {
          text(languages: ["en"])
        }
        items {
          name {
            text(languages: ["en"])
          }
          price
          dietaryLabels
        }
      }
    }
  }
}
`;

/** GraphiQL with everything inside: it works without internet. It is 9 MB, so it is made when first asked for. */
export async function renderPlayground(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL({
    title: 'Carte playground',
    endpoint: '/graphql',
    defaultQuery: firstQuery,
    headers: JSON.stringify({ 'x-api-key': '' }, null, 2),
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: 'headers',
  });
}
