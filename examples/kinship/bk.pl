% Three generations.
mother(cleo1,ann2).
mother(ann1,bob2).
mother(gia1,cleo2).
mother(ann1,dan2).
mother(ann1,eve2).
mother(eve1,finn2).
mother(cleo1,gia2).
mother(eve1,hal2).
mother(ann2,ann3).
mother(cleo2,bob3).
mother(eve2,cleo3).
mother(cleo2,dan3).
mother(eve2,eve3).
mother(eve2,finn3).
mother(eve2,gia3).
mother(cleo2,hal3).
father(finn1,ann2).
father(hal1,bob2).
father(dan1,cleo2).
father(bob1,dan2).
father(hal1,eve2).
father(bob1,finn2).
father(finn1,gia2).
father(dan1,hal2).
father(finn2,ann3).
father(bob2,bob3).
father(finn2,cleo3).
father(dan2,dan3).
father(finn2,eve3).
father(bob2,finn3).
father(hal2,gia3).
father(dan2,hal3).

parent(X,Y) :- mother(X,Y).
parent(X,Y) :- father(X,Y).
