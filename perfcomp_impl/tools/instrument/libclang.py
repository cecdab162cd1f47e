"""libclang's C interface (clang-c/Index.h), as far as parse.py calls it."""

import ctypes

_TESTED = (14, 19)
_LIBRARIES = ["libclang-%d.so.1" % n for n in (*_TESTED, 15, 16, 17, 18, *range(20, 30), 13, 11)] + ["libclang.so.1", "libclang.so"]


class _Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3)]


class _Type(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2)]


class _Location(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p * 2), ("raw", ctypes.c_uint)]


class _Range(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class UnsavedFile(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("contents", ctypes.c_char_p), ("length", ctypes.c_ulong)]


VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, _Cursor, _Cursor, ctypes.c_void_p)

_PROTOTYPES = {
    "clang_getClangVersion": (_String, []),
    "clang_createIndex": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_int]),
    "clang_disposeIndex": (None, [ctypes.c_void_p]),
    "clang_parseTranslationUnit": (ctypes.c_void_p, [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int,
        ctypes.POINTER(UnsavedFile), ctypes.c_uint, ctypes.c_uint]),
    "clang_disposeTranslationUnit": (None, [ctypes.c_void_p]),
    "clang_getTranslationUnitCursor": (_Cursor, [ctypes.c_void_p]),
    "clang_getFile": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "clang_getLocationForOffset": (_Location, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]),
    "clang_getRangeStart": (_Location, [_Range]),
    "clang_getRangeEnd": (_Location, [_Range]),
    "clang_getFileLocation": (None, [_Location] + [ctypes.c_void_p] * 3 + [ctypes.POINTER(ctypes.c_uint)]),
    "clang_getNumDiagnostics": (ctypes.c_uint, [ctypes.c_void_p]),
    "clang_getDiagnostic": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint]),
    "clang_disposeDiagnostic": (None, [ctypes.c_void_p]),
    "clang_getDiagnosticSeverity": (ctypes.c_int, [ctypes.c_void_p]),
    "clang_getDiagnosticLocation": (_Location, [ctypes.c_void_p]),
    "clang_getDiagnosticSpelling": (_String, [ctypes.c_void_p]),
    "clang_visitChildren": (ctypes.c_uint, [_Cursor, VISITOR, ctypes.c_void_p]),
    "clang_getCursorExtent": (_Range, [_Cursor]),
    "clang_getCursorSpelling": (_String, [_Cursor]),
    "clang_getCString": (ctypes.c_char_p, [_String]),
    "clang_disposeString": (None, [_String]),
    "clang_isCursorDefinition": (ctypes.c_uint, [_Cursor]),
    "clang_getCursorReferenced": (_Cursor, [_Cursor]),
    "clang_getCursorSemanticParent": (_Cursor, [_Cursor]),
    "clang_getCursorLinkage": (ctypes.c_int, [_Cursor]),
    "clang_Cursor_Evaluate": (ctypes.c_void_p, [_Cursor]),
    "clang_getCursor": (_Cursor, [ctypes.c_void_p, _Location]),
    "clang_getCursorType": (_Type, [_Cursor]),
    "clang_Cursor_getStorageClass": (ctypes.c_int, [_Cursor]),
    "clang_getCanonicalType": (_Type, [_Type]),
    "clang_getPointeeType": (_Type, [_Type]),
    "clang_getArrayElementType": (_Type, [_Type]),
    "clang_EvalResult_getKind": (ctypes.c_int, [ctypes.c_void_p]),
    "clang_EvalResult_getAsLongLong": (ctypes.c_longlong, [ctypes.c_void_p]),
    "clang_EvalResult_dispose": (None, [ctypes.c_void_p]),
}


def load():
    """The library; None: there is none."""
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function, (result, arguments) in _PROTOTYPES.items():
            entry = getattr(library, function)
            entry.restype, entry.argtypes = result, arguments
        return library
    return None
