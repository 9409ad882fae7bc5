// The document is a script of its own, because a page that is opened as a file may not fetch files.
const font = { fontFamily: 'system-ui, sans-serif' };
const theme = { typography: { ...font, headings: font }, sidebar: { width: '280px' } };
window.Redoc.init(window.openApiDocument, { theme }, document.getElementById('reference'));
