// The document is a script beside this one: a page that is opened from a folder may not fetch a file.
const font = { fontFamily: 'system-ui, sans-serif' };
const theme = { typography: { ...font, headings: font }, sidebar: { width: '280px' } };
window.Redoc.init(window.openApiDocument, { theme }, document.getElementById('reference'));
