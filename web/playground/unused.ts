// @ts-expect-error: it has no types.
import { createDecorator } from 'monaco-editor/esm/vs/platform/instantiation/common/instantiation.js';

// In place of parts of the editor that the playground has no use for, but that others name: fixes, comparing files, picking colours, hints within
// the text, pasting by rules, going to definitions in other files, hints of inline completions, trees, and the palette of commands.
export class ColorHoverParticipant {}
export class DiffEditorWidget {}
export class InlayHintsHover {}
export class ListService {}
export class MultiDiffEditorWidget {}
export class StandaloneQuickInputService {}
export const IListService = createDecorator('listService');
export const CodeActionController = { get: () => undefined };
export const CopyPasteController = { get: () => undefined };
export const GotoDefinitionAtPositionEditorContribution = { get: () => undefined };
export const InlineSuggestionHintsContentWidget = { dropDownVisible: false };
export const getCodeActions = async () => ({ validActions: [], allActions: [], dispose() {} });
export const linesDiffComputers = {};
export const quickFixCommandId = '';
