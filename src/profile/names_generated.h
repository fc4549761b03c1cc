/* names_generated.h - what the names say that compilers make up: csc (Roslyn and the one before it), mcs, vbc, fsc.
 *
 *   csc  <Main>b__0_1        the 2nd lambda of the type's 1st method; in <>c, <>c__DisplayClass0_0, or the type itself
 *        <Main>b__1          likewise, in a <>c__DisplayClass0_1; before Roslyn, the 2nd one of the type
 *        <Main>g__Twice|0_0  a local function
 *        <Main>d__0          the state machine of an iterator or async method: a type; also <<Main>b__0_0>d
 *        <>n__0              calls a method of the base type, for a lambda or state machine
 *        <>m__Finally1       a finally block of an iterator
 *        <>f__AnonymousType0, <File>F…__Name (a type of one file), <Clone>$, <Main>$ (top-level statements)
 *        <Main>              calls an async Main
 *   mcs  <Main>m__0, <>m__0 in <Main>c__AnonStorey0; types <Main>c__async0, <Main>c__Iterator0, <>__AnonType0;
 *        <Main>__BaseCallProxy0, <>__Finally0
 *   vbc  _Lambda$__1-0 in _Closure$__ or _Closure$__1-0; types VB$StateMachine_1_Main, VB$AnonymousType_0;
 *        $VB$ClosureStub_Name_MyBase
 *   fsc  types main@12-1: a closure of main, made in line 12
 *
 * All texts borrow from the name. */
#ifndef ILINJECT_PROFILE_NAMES_GENERATED_H
#define ILINJECT_PROFILE_NAMES_GENERATED_H

#include "base/bytes.h"

#define GENERATED_NO_NUMBER UINT32_MAX

typedef enum generated_method_kind {
    GENERATED_PLAIN, /* as it was written */
    GENERATED_LAMBDA,
    GENERATED_LOCAL_FUNCTION,
    GENERATED_FINALLY,
    GENERATED_BASE_CALL,
    GENERATED_CLONE,
    GENERATED_TOP_LEVEL, /* `<Main>$` */
    GENERATED_ENTRY,     /* `<Main>` */
} generated_method_kind;

typedef struct generated_method {
    generated_method_kind kind;
    bytes owner;    /* name of the method that it was written in; may be made up, too; empty: not known */
    bytes name;     /* of a local function, of the method of the base type */
    uint32_t group; /* number of that method in its type, or GENERATED_NO_NUMBER */
    uint32_t number;
} generated_method;

generated_method generated_method_of(bytes name);

typedef enum generated_type_kind {
    GENERATED_TYPE_PLAIN,
    GENERATED_CLOSURE,
    GENERATED_MACHINE,
    GENERATED_ANONYMOUS,  /* its generic parameters are named after its properties by csc and mcs */
    GENERATED_FILE_LOCAL, /* `name` is what was written */
    GENERATED_FUNCTION,   /* an F# closure */
} generated_type_kind;

typedef struct generated_type {
    generated_type_kind kind;
    bytes owner; /* name of the method that it was made for; may be made up, too; empty: not known */
    bytes name;
    uint32_t group;   /* as of a method */
    const char *noun; /* of a machine, what it is of, where the name tells: "iterator" or "async"; else NULL */
} generated_type;

generated_type generated_type_of(bytes name);

/* The name in a generic parameter of an anonymous type, `<First>j__TPar`; the whole text for another one. */
bytes generated_property_of(bytes generic);

#endif
