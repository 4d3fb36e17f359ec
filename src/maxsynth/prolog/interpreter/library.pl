% Library predicates that are most natural in Prolog: lists, higher order, aggregation, ordered sets.
%
% The answers, their order, and the errors are those of SWI-Prolog. Goals here never see what a program defines
% under the same names, except through call/N. Names that begin with $ are private.

% Solutions

aggregate_all(Spec, _, _) :- var(Spec), !, throw(error(instantiation_error, _)).
aggregate_all(count, Goal, Count) :- !, aggregate_all(sum(1), Goal, Count).
aggregate_all(count(_), Goal, Count) :- !, aggregate_all(sum(1), Goal, Count).
aggregate_all(sum(Expr), Goal, Sum) :- !,
    findall(Expr, Goal, List),
    foldl('$add', List, 0, Sum).
aggregate_all(bag(Template), Goal, Bag) :- !, findall(Template, Goal, Bag).
aggregate_all(set(Template), Goal, Set) :- !, findall(Template, Goal, Bag), sort(Bag, Set).
aggregate_all(max(Expr, Witness), Goal, max(Max, Best)) :- !,
    findall(Expr-Witness, Goal, [First|Rest]),
    foldl('$max_pair', Rest, First, Max-Best),
    must_be(number, Max).
aggregate_all(min(Expr, Witness), Goal, min(Min, Best)) :- !,
    findall(Expr-Witness, Goal, [First|Rest]),
    foldl('$min_pair', Rest, First, Min-Best),
    must_be(number, Min).
aggregate_all(max(Expr), Goal, Max) :- !,
    findall(Expr, Goal, [First|Rest]),
    '$value'(First, Start),
    foldl('$max', Rest, Start, Max).
aggregate_all(min(Expr), Goal, Min) :- !,
    findall(Expr, Goal, [First|Rest]),
    '$value'(First, Start),
    foldl('$min', Rest, Start, Min).
aggregate_all(Spec, _, _) :- throw(error(domain_error(aggregate_template, Spec), _)).

'$value'(Expr, Value) :- Value is Expr.
'$add'(Expr, Sum0, Sum) :- Sum is Sum0 + Expr.
'$max'(Expr, Max0, Max) :- Max is max(Max0, Expr).
'$min'(Expr, Min0, Min) :- Min is min(Min0, Expr).
'$max_pair'(X-Witness, Max-Best, Result) :-
    must_be(number, Max),
    must_be(number, X),
    ( X > Max -> Result = X-Witness ; Result = Max-Best ).
'$min_pair'(X-Witness, Min-Best, Result) :-
    must_be(number, Min),
    must_be(number, X),
    ( X < Min -> Result = X-Witness ; Result = Min-Best ).

bagof(Template, Goal, Bag) :-
    '$free_variables'(Template, Goal, Plain, Free),
    '$bagof'(Free, Template, Plain, Bag).

'$bagof'([], Template, Goal, Bag) :- !,
    findall(Template, Goal, [First|Rest]),
    Bag = [First|Rest].
'$bagof'(Free, Template, Goal, Bag) :-
    findall(Free-Template, Goal, Pairs),
    keysort(Pairs, Sorted),
    '$groups'(Sorted, Groups),
    member(Free-Bag, Groups).

setof(Template, Goal, Set) :-
    '$free_variables'(Template, Goal, Plain, Free),
    '$bagof'(Free, Template, Plain, Bag),
    sort(Bag, Sorted),
    Set = Sorted.

numbervars(Term) :- numbervars(Term, 0, _).

phrase(Body, List) :- phrase(Body, List, []).
phrase(Body, List, Rest) :- call(Body, List, Rest).

% Lists

append([], List, List).
append([X|Xs], Ys, [X|Zs]) :- append(Xs, Ys, Zs).

append(Lists, List) :- must_be(list, Lists), '$append'(Lists, List).

'$append'([], []).
'$append'([List|Lists], All) :- append(List, Rest, All), '$append'(Lists, Rest).

member(X, [Y|Ys]) :- '$member'(Ys, X, Y).

'$member'(_, X, X).
'$member'([Y|Ys], X, _) :- '$member'(Ys, X, Y).

memberchk(X, List) :- '$memberchk'(List, X).

'$memberchk'(List, X) :- var(List), !, List = [X|_].
'$memberchk'([Y|Ys], X) :- !, ( X = Y -> true ; '$memberchk'(Ys, X) ).
'$memberchk'(List, _) :- must_be(list, List), fail.

% The result, walked along as far as it goes, bounds the length of a partial list.
reverse(List, Reversed) :- '$reverse'(List, Reversed, [], Reversed).

'$reverse'([], [], Reversed, Reversed).
'$reverse'([X|Xs], [_|Bound], Done, Reversed) :- '$reverse'(Xs, Bound, [X|Done], Reversed).

nth0(Index, List, X) :- '$nth'(Index, 0, List, X).
nth1(Index, List, X) :- '$nth'(Index, 1, List, X).

'$nth'(Index, Base, List, X) :-
    integer(Index), !,
    Index >= Base,
    Skip is Index - Base,
    '$nth_item'(Skip, List, X).
'$nth'(Index, Base, [Y|Ys], X) :-
    var(Index), !,
    '$nth_any'(Ys, Y, X, Base, Index).
'$nth'(Index, _, List, _) :- var(Index), !, List = [_|_].
'$nth'(Index, _, _, _) :- must_be(integer, Index).

'$nth_item'(0, [X|_], X) :- !.
'$nth_item'(N, [_|Xs], X) :- M is N - 1, '$nth_item'(M, Xs, X).

'$nth_any'(_, X, X, Index, Index).
'$nth_any'([Y|Ys], _, X, Base, Index) :- Next is Base + 1, '$nth_any'(Ys, Y, X, Next, Index).

nth0(Index, List, X, Rest) :- '$nth_rest'(Index, nonneg, 0, List, X, Rest).
nth1(Index, List, X, Rest) :- '$nth_rest'(Index, positive_integer, 1, List, X, Rest).

'$nth_rest'(Index, _, Base, List, X, Rest) :-
    var(Index), !,
    '$nth_select'(List, X, Rest, Base, Index).
'$nth_rest'(Index, Type, Base, List, X, Rest) :-
    must_be(Type, Index),
    Skip is Index - Base,
    '$nth_delete'(Skip, List, X, Rest).

'$nth_delete'(0, [X|Xs], X, Xs) :- !.
'$nth_delete'(N, [Y|Xs], X, [Y|Ys]) :- N > 0, M is N - 1, '$nth_delete'(M, Xs, X, Ys).

'$nth_select'([X|Xs], X, Xs, Index, Index).
'$nth_select'([Y|Xs], X, [Y|Ys], Base, Index) :- Next is Base + 1, '$nth_select'(Xs, X, Ys, Next, Index).

last([X|Xs], Last) :- '$last'(Xs, X, Last).

'$last'([], Last, Last).
'$last'([X|Xs], _, Last) :- '$last'(Xs, X, Last).

% These take proper lists only; SWI-Prolog has no rule that matches anything else, and says so.
'$matching'(List, Goal) :-
    '$skip_list'(List, Tail),
    ( Tail == [] -> true ; throw(error(existence_error(matching_rule, lists:Goal), _)) ).

sum_list(List, Sum) :- '$matching'(List, sum_list(List, 0, Sum)), '$sum_list'(List, 0, Sum).
sumlist(List, Sum) :- sum_list(List, Sum).

'$sum_list'([], Sum, Sum).
'$sum_list'([X|Xs], Sum0, Sum) :- Sum1 is Sum0 + X, '$sum_list'(Xs, Sum1, Sum).

max_list(List, Max) :- '$matching'(List, max_list(List, Max)), List = [X|Xs], '$max_list'(Xs, X, Max).
min_list(List, Min) :- '$matching'(List, min_list(List, Min)), List = [X|Xs], '$min_list'(Xs, X, Min).

'$max_list'([], Max, Max).
'$max_list'([X|Xs], Max0, Max) :- Max1 is max(Max0, X), '$max_list'(Xs, Max1, Max).
'$min_list'([], Min, Min).
'$min_list'([X|Xs], Min0, Min) :- Min1 is min(Min0, X), '$min_list'(Xs, Min1, Min).

max_member(Max, List) :- '$matching'(List, max_member(Max, List)), List = [X|Xs], '$max_member'(Xs, X, Max).
min_member(Min, List) :- '$matching'(List, min_member(Min, List)), List = [X|Xs], '$min_member'(Xs, X, Min).

'$max_member'([], Max, Max).
'$max_member'([X|Xs], Max0, Max) :-
    ( Max0 @>= X -> '$max_member'(Xs, Max0, Max) ; '$max_member'(Xs, X, Max) ).
'$min_member'([], Min, Min).
'$min_member'([X|Xs], Min0, Min) :-
    ( Min0 @=< X -> '$min_member'(Xs, Min0, Min) ; '$min_member'(Xs, X, Min) ).

numlist(Low, High, List) :-
    must_be(integer, Low),
    must_be(integer, High),
    Low =< High,
    '$numlist'(Low, High, List).

'$numlist'(High, High, List) :- !, List = [High].
'$numlist'(Low, High, [Low|List]) :- Next is Low + 1, '$numlist'(Next, High, List).

% A merge sort that drops an item when the order says it equals one before it.
predsort(Order, List, Sorted) :-
    must_be(list, List),
    length(List, Length),
    '$merge_sort'(Length, Order, List, [], Result),
    Sorted = Result.

'$merge_sort'(0, _, Rest, Rest, []) :- !.
'$merge_sort'(1, _, [X|Rest], Rest, [X]) :- !.
'$merge_sort'(Length, Order, List, Rest, Sorted) :-
    Left is Length // 2,
    Right is Length - Left,
    '$merge_sort'(Left, Order, List, Middle, As),
    '$merge_sort'(Right, Order, Middle, Rest, Bs),
    '$merge'(As, Bs, Order, Sorted).

'$merge'([], Bs, _, Bs) :- !.
'$merge'(As, [], _, As) :- !.
'$merge'([A|As], [B|Bs], Order, Merged) :-
    once(call(Order, Delta, A, B)),
    '$merge_by'(Delta, A, As, B, Bs, Order, Merged).

'$merge_by'(<, A, As, B, Bs, Order, [A|Merged]) :- '$merge'(As, [B|Bs], Order, Merged).
'$merge_by'(=, A, As, _, Bs, Order, Merged) :- '$merge'([A|As], Bs, Order, Merged).
'$merge_by'(>, A, As, B, Bs, Order, [B|Merged]) :- '$merge'([A|As], Bs, Order, Merged).

list_to_set(List, Set) :- must_be(list, List), '$list_to_set'(List, Set).

delete([], _, []).
delete([Y|Ys], X, Rest) :- Y \= X, !, Rest = [Y|Zs], delete(Ys, X, Zs).
delete([_|Ys], X, Rest) :- delete(Ys, X, Rest).

exclude(Goal, List, Kept) :- '$exclude'(List, Goal, Kept).

'$exclude'([], _, []).
'$exclude'([X|Xs], Goal, Kept) :-
    ( call(Goal, X) -> Kept = Rest ; Kept = [X|Rest] ),
    '$exclude'(Xs, Goal, Rest).

include(Goal, List, Kept) :- '$include'(List, Goal, Kept).

'$include'([], _, []).
'$include'([X|Xs], Goal, Kept) :-
    ( call(Goal, X) -> Kept = [X|Rest] ; Kept = Rest ),
    '$include'(Xs, Goal, Rest).

partition(Goal, List, In, Out) :- '$partition'(List, Goal, In, Out).

'$partition'([], _, [], []).
'$partition'([X|Xs], Goal, In, Out) :-
    ( call(Goal, X) -> In = [X|In1], Out = Out1 ; In = In1, Out = [X|Out1] ),
    '$partition'(Xs, Goal, In1, Out1).

partition(Goal, List, Less, Equal, Greater) :- '$partition'(List, Goal, Less, Equal, Greater).

'$partition'([], _, [], [], []).
'$partition'([X|Xs], Goal, Less, Equal, Greater) :-
    call(Goal, Order, X),
    '$place'(Order, X, Goal, Xs, Less, Equal, Greater).

'$place'(<, X, Goal, Xs, [X|Less], Equal, Greater) :- '$partition'(Xs, Goal, Less, Equal, Greater).
'$place'(=, X, Goal, Xs, Less, [X|Equal], Greater) :- '$partition'(Xs, Goal, Less, Equal, Greater).
'$place'(>, X, Goal, Xs, Less, Equal, [X|Greater]) :- '$partition'(Xs, Goal, Less, Equal, Greater).

convlist(Goal, List, Converted) :- '$convlist'(List, Goal, Converted).

'$convlist'([], _, []).
'$convlist'([X|Xs], Goal, Ys) :-
    ( call(Goal, X, Y) -> Ys = [Y|Rest] ; Ys = Rest ),
    '$convlist'(Xs, Goal, Rest).

maplist(Goal, As) :- '$maplist'(As, Goal).
maplist(Goal, As, Bs) :- '$maplist'(As, Bs, Goal).
maplist(Goal, As, Bs, Cs) :- '$maplist'(As, Bs, Cs, Goal).
maplist(Goal, As, Bs, Cs, Ds) :- '$maplist'(As, Bs, Cs, Ds, Goal).
maplist(Goal, As, Bs, Cs, Ds, Es) :- '$maplist'(As, Bs, Cs, Ds, Es, Goal).
maplist(Goal, As, Bs, Cs, Ds, Es, Fs) :- '$maplist'(As, Bs, Cs, Ds, Es, Fs, Goal).

'$maplist'([], _).
'$maplist'([A|As], Goal) :- call(Goal, A), '$maplist'(As, Goal).
'$maplist'([], [], _).
'$maplist'([A|As], [B|Bs], Goal) :- call(Goal, A, B), '$maplist'(As, Bs, Goal).
'$maplist'([], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], Goal) :- call(Goal, A, B, C), '$maplist'(As, Bs, Cs, Goal).
'$maplist'([], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], Goal) :-
    call(Goal, A, B, C, D),
    '$maplist'(As, Bs, Cs, Ds, Goal).
'$maplist'([], [], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], [E|Es], Goal) :-
    call(Goal, A, B, C, D, E),
    '$maplist'(As, Bs, Cs, Ds, Es, Goal).
'$maplist'([], [], [], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], [E|Es], [F|Fs], Goal) :-
    call(Goal, A, B, C, D, E, F),
    '$maplist'(As, Bs, Cs, Ds, Es, Fs, Goal).

foldl(Goal, As, V0, V) :- '$foldl'(As, Goal, V0, V).
foldl(Goal, As, Bs, V0, V) :- '$foldl'(As, Bs, Goal, V0, V).
foldl(Goal, As, Bs, Cs, V0, V) :- '$foldl'(As, Bs, Cs, Goal, V0, V).

'$foldl'([], _, V, V).
'$foldl'([A|As], Goal, V0, V) :- call(Goal, A, V0, V1), '$foldl'(As, Goal, V1, V).
'$foldl'([], [], _, V, V).
'$foldl'([A|As], [B|Bs], Goal, V0, V) :- call(Goal, A, B, V0, V1), '$foldl'(As, Bs, Goal, V1, V).
'$foldl'([], [], [], _, V, V).
'$foldl'([A|As], [B|Bs], [C|Cs], Goal, V0, V) :-
    call(Goal, A, B, C, V0, V1),
    '$foldl'(As, Bs, Cs, Goal, V1, V).

select(X, [Y|Ys], Rest) :- '$select'(Ys, X, Y, Rest).

'$select'(Ys, X, X, Ys).
'$select'([Z|Zs], X, Y, [Y|Rest]) :- '$select'(Zs, X, Z, Rest).

selectchk(X, List, Rest) :- select(X, List, Rest), !.

select(X, Xs, Y, Ys) :- '$select'(Xs, X, Y, Ys, _).

'$select'([X|List], X, Y, [Y|List], _).
'$select'([Z|Xs], X, Y, [Z|Ys], _) :- '$select'(Xs, X, Y, Ys, _).

subtract(Xs, Ys, Rest) :- '$matching'(Xs, subtract(Xs, Ys, Rest)), '$subtract'(Xs, Ys, Rest).

'$subtract'([], _, []).
'$subtract'([X|Xs], Ys, Rest) :-
    ( memberchk(X, Ys) -> Rest = More ; Rest = [X|More] ),
    '$subtract'(Xs, Ys, More).

intersection(Xs, Ys, Common) :- '$matching'(Xs, intersection(Xs, Ys, Common)), '$intersection'(Xs, Ys, Common).

'$intersection'([], _, []).
'$intersection'([X|Xs], Ys, Common) :-
    ( memberchk(X, Ys) -> Common = [X|More] ; Common = More ),
    '$intersection'(Xs, Ys, More).

union(Xs, Ys, All) :- '$matching'(Xs, union(Xs, Ys, All)), '$union'(Xs, Ys, All).

'$union'([], Ys, Ys).
'$union'([X|Xs], Ys, All) :-
    ( memberchk(X, Ys) -> All = More ; All = [X|More] ),
    '$union'(Xs, Ys, More).

subset(Xs, Set) :- '$matching'(Xs, subset(Xs, Set)), '$subset'(Xs, Set).

'$subset'([], _).
'$subset'([X|Xs], Set) :- memberchk(X, Set), '$subset'(Xs, Set).

% A list of known length tells the length of the other.
permutation(Xs, Ys) :-
    ( is_list(Ys) -> length(Ys, N), length(Xs, N) ; length(Xs, N), length(Ys, N) ),
    '$permutation'(Xs, Ys).

'$permutation'([], []).
'$permutation'(List, [X|Xs]) :- select(X, List, Rest), '$permutation'(Rest, Xs).

flatten(List, Flat) :- '$flatten'(List, [], Flat0), !, Flat = Flat0.

'$flatten'(Var, Tail, [Var|Tail]) :- var(Var), !.
'$flatten'([], Tail, Tail) :- !.
'$flatten'([X|Xs], Tail, Flat) :- !, '$flatten'(X, Rest, Flat), '$flatten'(Xs, Tail, Rest).
'$flatten'(X, Tail, [X|Tail]).

pairs_keys_values([], [], []).
pairs_keys_values([K-V|Pairs], [K|Ks], [V|Vs]) :- pairs_keys_values(Pairs, Ks, Vs).

pairs_keys([], []).
pairs_keys([K-_|Pairs], [K|Ks]) :- pairs_keys(Pairs, Ks).

pairs_values([], []).
pairs_values([_-V|Pairs], [V|Vs]) :- pairs_values(Pairs, Vs).

nextto(X, Y, [X,Y|_]).
nextto(X, Y, [_|Rest]) :- nextto(X, Y, Rest).

same_length(Xs, Ys) :- '$same_length'(Xs, Ys).

'$same_length'([], []).
'$same_length'([_|Xs], [_|Ys]) :- '$same_length'(Xs, Ys).

proper_length(List, Length) :- is_list(List), length(List, Length).

is_set(List) :- is_list(List), '$list_to_set'(List, Set), '$same_length'(List, Set), !.

subseq([], [], []).
subseq([X|Xs], Ys, [X|Zs]) :- subseq(Xs, Ys, Zs).
subseq([X|Xs], [X|Ys], Zs) :- subseq(Xs, Ys, Zs).

max_member(Order, Max, [X|Xs]) :- foldl('$max_by'(Order), Xs, X, Max).
min_member(Order, Min, [X|Xs]) :- foldl('$min_by'(Order), Xs, X, Min).

'$max_by'(Order, X, Max0, Max) :- ( call(Order, Max0, X) -> Max = X ; Max = Max0 ).
'$min_by'(Order, X, Min0, Min) :- ( call(Order, X, Min0) -> Min = X ; Min = Min0 ).

clumped([], []).
clumped([X|Xs], [X-N|Rest]) :- '$clump'(Xs, X, 1, N, Others), clumped(Others, Rest).

'$clump'([Y|Ys], X, N0, N, Others) :- Y == X, !, N1 is N0 + 1, '$clump'(Ys, X, N1, N, Others).
'$clump'(Others, _, N, N, Others).

% Ordered sets

ord_union(Sets, Union) :- append(Sets, All), sort(All, Union).
ord_union(Xs, Ys, Union) :- append(Xs, Ys, All), sort(All, Union).

ord_subtract([], _, []).
ord_subtract([X|Xs], Ys, Rest) :-
    ( '$identical_member'(X, Ys) -> Rest = More ; Rest = [X|More] ),
    ord_subtract(Xs, Ys, More).

ord_intersection([], _, []).
ord_intersection([X|Xs], Ys, Common) :-
    ( '$identical_member'(X, Ys) -> Common = [X|More] ; Common = More ),
    ord_intersection(Xs, Ys, More).

ord_memberchk(X, Set) :- '$identical_member'(X, Set).

ord_subset([], _).
ord_subset([X|Xs], Set) :- '$identical_member'(X, Set), ord_subset(Xs, Set).

ord_add_element(Set, X, Union) :- ord_union(Set, [X], Union).
ord_insert(Set, X, Union) :- ord_union(Set, [X], Union).
ord_del_element(Set, X, Rest) :- ord_subtract(Set, [X], Rest).
ord_empty([]).
